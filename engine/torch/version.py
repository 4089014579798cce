"""``torch.version``: the PyTorch whose behaviour is followed."""

__version__ = "2.13.0"
cuda = None
hip = None
debug = False
