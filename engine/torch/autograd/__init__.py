"""``torch.autograd``."""

import importlib as _importlib
from typing import Any as _Any

from engine.autograd.anomaly import detect_anomaly as detect_anomaly
from engine.autograd.anomaly import is_anomaly_enabled as is_anomaly_enabled
from engine.autograd.anomaly import set_detect_anomaly as set_detect_anomaly
from engine.autograd.backward import backward as backward
from engine.autograd.function import Function as Function
from engine.autograd.function import NestedIOFunction as NestedIOFunction
from engine.autograd.graph import preserve_version as _unsafe_preserve_version_counter
from engine.autograd.modes import enable_grad as enable_grad
from engine.autograd.modes import inference_mode as inference_mode
from engine.autograd.modes import no_grad as no_grad
from engine.autograd.modes import set_grad_enabled as set_grad_enabled
from engine.autograd.modes import state as _modes
from engine.autograd.switches import _force_original_view_tracking as _force_original_view_tracking
from engine.autograd.switches import enforce_grad_layout_policy as enforce_grad_layout_policy
from engine.autograd.switches import is_multithreading_enabled as is_multithreading_enabled
from engine.autograd.switches import is_view_replay_enabled as is_view_replay_enabled
from engine.autograd.switches import set_multithreading_enabled as set_multithreading_enabled
from engine.torch.autograd import forward_ad as forward_ad
from engine.torch.autograd import function as function
from engine.torch.autograd import functional as functional
from engine.torch.autograd import graph as graph
from engine.torch.autograd.variable import Variable as Variable
from engine.torch.missing import module_getattr as _module_getattr
from engine.transforms.batched import _calculate_shape as _calculate_shape
from engine.transforms.batched import grad as grad

# The function takes the name of the module that it comes from, as in PyTorch.
from engine.torch.autograd.gradcheck import GradcheckError as GradcheckError  # isort: skip
from engine.torch.autograd.gradcheck import gradcheck as gradcheck  # isort: skip
from engine.torch.autograd.gradcheck import gradgradcheck as gradgradcheck  # isort: skip

import engine.torch as torch  # isort: skip # old code says ``torch.autograd.torch``


def kineto_available() -> bool:
    """Whether the library behind PyTorch's newer profiler is here: it is not."""
    return False


def _profiler_enabled() -> bool:
    """Whether a profiler measures now."""
    return _modes.profiling


_absent = _module_getattr("torch.autograd", globals())


def __getattr__(name: str) -> _Any:
    if name == "profiler":  # imported when it is first asked for, which few do
        return _importlib.import_module("engine.torch.autograd.profiler")
    return _absent(name)
