"""How a tensor prints: byte for byte as PyTorch prints it, from a numpy array and a few facts.

``options`` holds ``torch.set_printoptions``, ``elements`` one number's spelling, ``layout`` brackets, commas and line
breaks, ``description`` the whole ``tensor(…, dtype=…, grad_fn=<…>)``. Knows no tensor.
"""

from engine.printing.options import PrintOptions, get_printoptions, options, printoptions, set_printoptions

__all__ = ["PrintOptions", "get_printoptions", "options", "printoptions", "set_printoptions"]
