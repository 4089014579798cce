"""What programs catch and print are PyTorch's words to the last, and our explanation is told by the trace alone."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest

from engine import torch
from engine.errors import Explained, explanation_of
from engine.trace.play import play

nn, schedules, data = torch.nn, torch.optim.lr_scheduler, torch.utils.data


def one_parameter() -> torch.optim.Optimizer:
    """An optimizer of one number."""
    return torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)


UNINITIALIZED = (
    "Attempted to use an uninitialized parameter in <method 'numel' of 'torch._C.TensorBase' objects>. This error happens when you "
    "are using a `LazyModule` or explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. When using LazyModules "
    "Call `forward` with a dummy batch to initialize the parameters before calling torch functions"
)
REPORT = "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
CONJUGATED = (
    "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view it as real, use "
    "self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original."
)
PLATEAU = (
    "SequentialLR does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified when calling `step`, "
    "but got one at index 0 in the given schedulers sequence."
)
WHOLE = {
    "torch.float32(3)": "'torch.dtype' object is not callable",
    "torch.ones(2).values()": "values expected sparse tensor layout but got Strided",
    "torch.bernoulli(torch.tensor([1.5]))": f"Expected p_in >= 0 && p_in <= 1 to be true, but got false.  {REPORT}",
    "nn.utils.clip_grad_value_([torch.ones(1, requires_grad=True)], 1.0)": (
        f"Expected !nested_tensorlist[0].empty() to be true, but got false.  {REPORT}"
    ),
    "nn.LazyLinear(1).weight.numel()": UNINITIALIZED,
    "torch.view_as_real(torch.ones(1, dtype=torch.cfloat).conj())": CONJUGATED,
    "torch.ones(1).pin_memory()": "Cannot access accelerator device when none is available.",
    "torch.ones(1).to('mps')": "PyTorch is not linked with support for mps devices",
    "torch.tensor([1.0], device='mps')": "PyTorch is not linked with support for mps devices",
    "torch.cuda.Event()": "Tried to instantiate dummy base class Event",
    "torch.nn.Foo": "module 'torch.nn' has no attribute 'Foo'",
    "schedules.SequentialLR(one_parameter(), [schedules.ReduceLROnPlateau(one_parameter())], [])": PLATEAU,
    "next(iter(data.DataLoader([1], timeout=3)))": "_SingleProcessDataLoaderIter requires timeout == 0",
    "data.DistributedSampler([1])": (
        "Default process group has not been initialized, please make sure to call init_process_group."
    ),
    "type('Stream', (data.IterableDataset,), {})()": (
        "Can't instantiate abstract class Stream with abstract method __iter__"
    ),
    "nn.CircularPad1d(1)(torch.ones(3))": "expected 2D or 3D input (got 1D input)",
    "nn.ReflectionPad2d(1)()": "_ReflectionPadNd.forward() missing 1 required positional argument: 'input'",
    "nn.GLU()(torch.ones(()))": "glu does not support scalars because halving size must be even",
    "nn.MultiheadAttention(2, 1)(None, None, None)": "'NoneType' object has no attribute 'dim'",
    "nn.AdaptiveMaxPool2d(1)(torch.ones(3))": "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: [3]",
    "torch.use_deterministic_algorithms('a')": (
        "_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not str"
    ),
}
"""A statement and PyTorch's whole message."""


@pytest.mark.parametrize("statement", WHOLE)
def test_a_message_is_pytorchs_to_the_last_word(statement: str) -> None:
    with pytest.raises(Exception, match=f"^{re.escape(WHOLE[statement])}$"):
        eval(statement)


def test_an_explanation_is_no_part_of_the_message_and_is_told_at_the_end_of_a_run() -> None:
    error = TypeError(Explained("PyTorch's words", "ours"))
    assert (str(error), f"{error}", explanation_of(error)) == ("PyTorch's words", "PyTorch's words", "ours")
    assert explanation_of(TypeError("plain")) == explanation_of(TypeError()) == ""
    run = play("import torch\ntry:\n    torch.float32(3)\nexcept TypeError as e:\n    print(e)\ntorch.float32(3)")
    assert run.stdout == "'torch.dtype' object is not callable\n"
    assert run.outcome.message is not None
    assert run.outcome.message.startswith("'torch.dtype' object is not callable\n\nA tensor's dtype is read without")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_a_copied_error_keeps_its_explanation(copied: Callable[[Any], Any]) -> None:
    error = copied(RuntimeError(Explained("the words", "and why")))
    assert (str(error), explanation_of(error)) == ("the words", "and why")
