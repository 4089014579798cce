"""``torch.testing``: comparing results, and making tensors to compare."""
