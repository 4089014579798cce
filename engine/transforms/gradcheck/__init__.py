"""``torch.autograd.gradcheck``: derivatives against finite differences, backward and forward, dense and sparse."""
