"""``torch.distributions``."""

from engine.distributions import *
from engine.distributions import __all__, constraints, transforms
from engine.torch.addresses import known_modules as _known_modules
from engine.torch.missing import module_getattr

__getattr__ = module_getattr("torch.distributions", globals())

for _place, _names in _known_modules().items():
    if _place.startswith("torch.distributions."):
        for _class in (globals().get(_name) for _name in _names):
            if isinstance(_class, type):
                _class.__module__ = _place  # what ``print(type(distribution))`` shows
