"""``torch.nn.functional``."""

from engine.nn import functional as _here
from engine.torch.missing import as_spelled as _as_spelled
from engine.torch.missing import module_getattr as _module_getattr

globals().update(_as_spelled("torch.nn.functional", vars(_here)))
__getattr__ = _module_getattr("torch.nn.functional", globals())
