"""Classes derived from tensors, and ``__torch_function__``: what real PyTorch 2.13 prints for the same programs.

Each program runs in an interpreter of its own: the first derived class changes how functions are called for good.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
CLASSES = """
class B(torch.Tensor):
    pass
class A(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented
class Log(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__, [t.__name__ for t in types], end="; ")
        return super().__torch_function__(func, types, args, kwargs)
class D:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, len(args), kwargs
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad
def said(f):
    try:
        return f()
    except TypeError as error:
        return str(error).splitlines()[0]
a, b, log = (torch.ones(2).as_subclass(kind) for kind in (A, B, Log))
"""
PROGRAMS = {
    "b": "B([1., 1.])",
    "type(b * 2), type(2 * b), type(torch.ones(2) + b), type(b.sum()), type(b[0]), type(b == b), type(b.mT if 0 else b.data)": "("
    + ", ".join(["<class '__main__.B'>"] * 7)
    + ")",
    "type(torch.stack([b, torch.ones(2)])), type(b.max(0)[0]), type(b.max(0)).__name__, type(b.tolist()), type(b.numpy())": (
        "(<class '__main__.B'>, <class '__main__.B'>, 'max', <class 'list'>, <class 'numpy.ndarray'>)"
    ),
    "torch.nn.functional.relu(b), torch.nn.Linear(2, 2)(b).shape": "(B([1., 1.]), torch.Size([2]))",
    "torch.ones(2, requires_grad=True).as_subclass(B)": "B([1., 1.], grad_fn=<AliasBackward0>)",
    "(lambda p: ((p * p).sum().backward(), p, p.is_leaf, p.grad))(B([1., 2.]).requires_grad_())[1:]": (
        "(B([1., 2.], requires_grad=True), True, tensor([2., 4.]))"
    ),
    "torch.Tensor._make_subclass(B, torch.ones(2), True)": "B([1., 1.], requires_grad=True)",
    "[type(Same.apply(t)).__name__ for t in (b, b.clone().requires_grad_(), torch.nn.Parameter(torch.ones(2)))], Same.apply(b) is b": (
        "(['B', 'B', 'Tensor'], False)"
    ),
    "{type(f(torch.eye(2).to_sparse())).__name__ for f in (torch.sum, torch.Tensor.to_dense, torch.Tensor.t, torch.Tensor.clone)}": (
        "{'Tensor'}"
    ),
    "torch.sparse.mm(torch.eye(2).to_sparse(), torch.ones(2, 2))": "tensor([[1., 1.],\n        [1., 1.]])",
    "said(lambda: torch.add(a, 1))": (
        "Multiple dispatch failed for 'torch.add'; all __torch_function__ handlers returned NotImplemented:"
    ),
    "said(lambda: a.sum())": (
        "Multiple dispatch failed for 'torch.Tensor.sum'; all __torch_function__ handlers returned NotImplemented:"
    ),
    "said(lambda: a.shape)": (
        "Multiple dispatch failed for 'torch.Tensor.shape.__get__'; all __torch_function__ handlers returned NotImplemented:"
    ),
    "said(lambda: a + 1)": "unsupported operand type(s) for +: 'A' and 'int'",
    "torch.mean(D()), torch.add(D(), 2, alpha=3), torch.cat([D(), b]), torch.ones(2) + D()": (
        "(('mean', 1, None), ('add', 2, {'alpha': 3}), ('cat', 1, None), ('add', 2, None))"
    ),
    "[(f(), None)[1] for f in (lambda: log + 1, lambda: 1 - log, lambda: log.view(2).T, lambda: torch.sum(log, dim=0))]": (
        "add ['Log']; __rsub__ ['Log']; view ['Log']; __get__ ['Log']; sum ['Log']; "
    ),
    "float(log.sum()), len(log), log.shape, log.requires_grad": (
        "sum ['Log']; __float__ ['Log']; __len__ ['Log']; __get__ ['Log']; __get__ ['Log']; (2.0, 2, torch.Size([2]), False)"
    ),
    "log.grad, log.retains_grad, log._version": "__get__ ['Log']; __get__ ['Log']; __get__ ['Log']; (None, False, 0)",
    "(log * log.clone().requires_grad_()).sum().backward()": (
        "clone ['Log']; requires_grad_ ['Log']; mul ['Log']; sum ['Log']; backward ['Log']; None"
    ),
    "torch.overrides.has_torch_function((b,)), torch.overrides.has_torch_function((torch.ones(1),)), torch.overrides.is_tensor_like(D())": (
        "(True, False, True)"
    ),
    "torch.overrides.resolve_name(torch.Tensor.add), torch.overrides.resolve_name(torch.nn.functional.relu)": (
        "('torch.Tensor.add', 'torch.nn.functional.relu')"
    ),
}
HARNESS = """
import sys
import engine.torch as torch
import engine.torch.overrides
sys.modules["torch"] = torch
exec({classes!r})
for program in {programs!r}:
    print("@", end="")
    value = eval(program)
    print("" if isinstance(value, list) else value, end="")
"""


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    """What each program prints."""
    code = HARNESS.format(classes=CLASSES, programs=list(PROGRAMS))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip(PROGRAMS, done.stdout.split("@")[1:], strict=True))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_derived_class_has_its_say_as_in_pytorch(program: str, told: dict[str, str]) -> None:
    assert told[program] == PROGRAMS[program]


def test_a_mode_is_shown_every_function_that_the_program_calls() -> None:
    code = """
import engine.torch as torch
class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(func.__name__, end=" ")
        return func(*args, **(kwargs or {}))
with Mode():
    y = torch.zeros(2) + 1
    torch.sum(y)
    y.sum().item()
print(y)
"""
    assert printed(code) == "zeros add sum sum item tensor([1., 1.])\n"


def test_a_mode_sees_what_is_made_of_data_and_gets_no_empty_keywords() -> None:
    code = """
import engine.torch as torch
class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(func.__name__, args, kwargs)
        return func(*args, **(kwargs or {}))
x = torch.ones(1)
with Mode():
    torch.tensor(data=[1.0]), torch.as_tensor(2.0), torch.arange(1), torch.broadcast_shapes((1,), (2,)), torch.is_storage(x)
"""
    assert printed(code) == "tensor () {'data': [1.0]}\nas_tensor (2.0,) None\narange (1,) None\n"


def test_a_function_is_called_past_who_was_shown_it() -> None:
    code = """
import engine.torch as torch
from engine.torch.overrides import has_torch_function, handle_torch_function, redispatch_function
class Logging(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args, kwargs=None):
        print(func.__name__)
        return redispatch_function(func, types, args, kwargs)
class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print("mode", func.__name__)
        with self:
            return redispatch_function(func, types, args, kwargs)
def scaled(a, b):
    if has_torch_function((a, b)):
        return handle_torch_function(scaled, (a, b), a, b)
    return a * b + 1
x = torch.tensor([3.0])
r = scaled(x.as_subclass(Logging), x)
print(type(r).__name__, r)
with Mode():
    scaled(x, x)
@torch.overrides.wrap_torch_function(lambda a: (a,))
def func(a):
    return a + 0
print(func.__name__, func(x), func(x.as_subclass(Logging)))
"""
    assert printed(code) == (
        "scaled\nmul\nTensor tensor([10.])\nmode scaled\nmode mul\nmode add\nfunc\nadd\nfunc tensor([3.]) tensor([3.])\n"
    )


def printed(code: str) -> str:
    """What a program prints."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout
