"""``torch.autograd.functional``."""

from engine.torch.missing import as_spelled as _as_spelled
from engine.torch.missing import module_getattr as _module_getattr
from engine.transforms import functional as _here

globals().update(_as_spelled("torch.autograd.functional", vars(_here)))
__getattr__ = _module_getattr("torch.autograd.functional", globals())
