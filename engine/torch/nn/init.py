"""``torch.nn.init``."""

from engine.nn import init as _here
from engine.torch.missing import module_getattr as _module_getattr

globals().update({name: value for name, value in vars(_here).items() if not name.startswith("__")})
__getattr__ = _module_getattr("torch.nn.init", globals())
