"""``torch.autograd.forward_ad``."""

from engine.transforms.forward import UnpackedDualTensor as UnpackedDualTensor
from engine.transforms.forward import _set_fwd_grad_enabled as _set_fwd_grad_enabled
from engine.transforms.forward import dual_level as dual_level
from engine.transforms.forward import enter_dual_level as enter_dual_level
from engine.transforms.forward import exit_dual_level as exit_dual_level
from engine.transforms.forward import make_dual as make_dual
from engine.transforms.forward import unpack_dual as unpack_dual
