"""Diagnosis: why a tensor has no gradient, no grad_fn, this value or NaN, why an error came, and what to change.

`diagnose` reads a finished trace and fills in ``trace.reasons``; what should be said unasked also becomes the warning
of the step where it happens, and an error's advice names the guilty lines. Three kinds of questions have a folder each:
`tensors` (why is this tensor's gradient, grad_fn or value what it is), `errors` (what does the error come from) and
`mistakes` (what raises no error and is wrong all the same). All of them ask `history`, the trace turned over once, and
the snippet's source (`flow`, `calls`, `places`); each answers with an `answer` whose cause is one of `causes`.
"""

from engine.trace.diagnosis.diagnose import diagnose

__all__ = ["diagnose"]
