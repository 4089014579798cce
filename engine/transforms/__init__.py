"""Derivatives of functions, made of the backward pass: Jacobians, ``torch.func``, forward mode, checks, checkpoints."""
