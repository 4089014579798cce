"""``torch.func``."""

from engine.nn.utils.stateless import functional_call as functional_call
from engine.nn.utils.stateless import stack_module_state as stack_module_state
from engine.nn.without_averages import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
from engine.torch.missing import module_getattr as _module_getattr
from engine.transforms.func import functionalize as functionalize
from engine.transforms.func import grad as grad
from engine.transforms.func import grad_and_value as grad_and_value
from engine.transforms.func import jvp as jvp
from engine.transforms.func import linearize as linearize
from engine.transforms.func import vjp as vjp
from engine.transforms.jacobians import hessian as hessian
from engine.transforms.jacobians import jacfwd as jacfwd
from engine.transforms.jacobians import jacrev as jacrev
from engine.transforms.rearrange import rearrange as rearrange
from engine.transforms.vmap import vmap as vmap

__getattr__ = _module_getattr("torch.func", globals())
