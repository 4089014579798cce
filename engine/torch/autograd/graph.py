"""``torch.autograd.graph``."""

from engine.autograd import graph as _here
from engine.torch.missing import as_spelled as _as_spelled
from engine.torch.missing import module_getattr as _module_getattr

globals().update(_as_spelled("torch.autograd.graph", vars(_here)))
__getattr__ = _module_getattr("torch.autograd.graph", globals())
