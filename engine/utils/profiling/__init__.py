"""What ``torch.profiler`` and ``torch.autograd.profiler`` measure here: this engine's own operators, as they run in this process.

The names are PyTorch's, the times are not: they tell which part of a program costs how much here.
"""
