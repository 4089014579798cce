"""Derivatives as mathematics: for each argument of an operator, the expression that a step shows.

`texts` reads the lambdas that run in backward from the operators' own declarations, `expansion` follows the small functions
they call, and `readings` tells in the same language what kernels compute. `engine.trace.formula` draws and evaluates them.
"""

from engine.trace.derivatives.texts import conjugated, load, texts

__all__ = ["conjugated", "load", "texts"]
