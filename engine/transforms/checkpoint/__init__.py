"""``torch.utils.checkpoint``: less is kept in forward, and computed again in backward."""
