"""``torch.autograd.gradcheck``."""

from engine.transforms.gradcheck import GradcheckError as GradcheckError
from engine.transforms.gradcheck import gradcheck as gradcheck
from engine.transforms.gradcheck import gradgradcheck as gradgradcheck
from engine.transforms.private_jacobians import get_analytical_jacobian as get_analytical_jacobian
from engine.transforms.private_jacobians import get_numerical_jacobian as get_numerical_jacobian
