"""``torch.utils.data._utils``: private in name only, since PyTorch's documentation extends ``default_collate`` through it."""

from engine.torch.utils.data._utils import collate

__all__ = ["collate"]
