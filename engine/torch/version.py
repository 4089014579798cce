"""``torch.version``: the PyTorch whose behaviour is followed."""

__version__ = "2.13.0"
cuda = None
hip = None
debug = False
git_version = "cf30153c4c131c8164ee7798e5022d810682e2cb"
