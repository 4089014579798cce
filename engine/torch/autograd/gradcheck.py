"""``torch.autograd.gradcheck``."""

from engine.transforms.gradcheck.gradcheck import GradcheckError as GradcheckError
from engine.transforms.gradcheck.gradcheck import gradcheck as gradcheck
from engine.transforms.gradcheck.gradcheck import gradgradcheck as gradgradcheck
from engine.transforms.gradcheck.in_parts import get_analytical_jacobian as get_analytical_jacobian
from engine.transforms.gradcheck.in_parts import get_numerical_jacobian as get_numerical_jacobian
