"""What every statement of an operator's explanation means, as a law that is tried on the operator's own calls.

An explanation is said in the narration, so each of its statements needs a law (`laws.LAWS`): a check of what the operator
computes or of the gradients that it sends, in numpy, apart from the engine. The calls are those of the tables of programs
whose values, graphs and gradients are held against recorded answers of PyTorch.
"""
