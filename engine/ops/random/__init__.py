"""Random tensors, and the generators that draw them; the distributions are in `engine.random`."""
