"""``torch.utils.flop_counter``: how many additions and multiplications the products of a program take, module by module."""
