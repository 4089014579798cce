"""Why one tensor is as it is at a step: its ``.grad`` (`gradients`, `ledger`), its value (`values`, `numbers`), its missing
``grad_fn`` (`departures`); and what these have in common: where history was lost.
"""
