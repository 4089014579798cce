"""Reverse-mode automatic differentiation: nodes, the backward engine, modes, hooks.

Knows tensors only by the few attributes that `engine.tensor.Tensor` documents; never imports it.
"""
