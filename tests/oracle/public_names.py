"""Which public names the classes and objects have that people introspect: ``dir(torch.optim.SGD)``, ``dir(y.grad_fn)``.

Run with a Python that has torch 2.13.0 to record PyTorch's:

    python -m tests.oracle.public_names tests/golden/public_names.json
"""

from __future__ import annotations

import sys
from operator import attrgetter
from types import ModuleType
from typing import Any

from tests.oracle import golden

MODULES = (
    "nn", "nn.utils.prune", "optim", "optim.lr_scheduler", "optim.swa_utils", "distributions", "distributions.transforms", "utils.data",
)  # fmt: skip
"""Modules of ``torch`` all of whose public classes are looked at."""
KINDS = (
    "nn.Module",
    "optim.Optimizer",
    "optim.lr_scheduler.LRScheduler",
    "distributions.Distribution",
    "distributions.Transform",
)
"""Classes whose own names are recorded once."""
OBJECTS = """
x
x.grad_fn
y.grad_fn
y.grad_fn.next_functions[0][0]
F.apply(x).grad_fn
torch.nn.Parameter(torch.ones(2))
torch.eye(2).to_sparse()
torch.float32
torch.strided
torch.contiguous_format
torch.Size([2])
torch.Generator()
F
torch.autograd.Function
torch.device("cpu")
torch.finfo(torch.float32)
torch.iinfo(torch.int32)
torch.max(x, 0)
torch.add
torch.nn.functional.relu
torch.no_grad()
torch.enable_grad()
torch.set_grad_enabled(True)
torch.inference_mode()
torch.autocast("cpu")
torch.amp.GradScaler("cpu")
torch.autograd.graph.save_on_cpu()
y.register_hook(print)
torch.nn.Linear(2, 2)
torch.nn.Conv2d(1, 1, 1)
torch.nn.ConvTranspose1d(1, 1, 1)
torch.nn.LazyLinear(2)
torch.nn.LazyConv2d(1, 1)
torch.nn.BatchNorm2d(1)
torch.nn.MaxPool2d(2)
torch.nn.AdaptiveAvgPool2d(1)
torch.nn.ReflectionPad2d(1)
torch.nn.LSTM(1, 1)
torch.nn.MultiheadAttention(2, 1)
torch.nn.TransformerEncoderLayer(2, 1)
torch.nn.CrossEntropyLoss()
torch.nn.DataParallel(torch.nn.ReLU())
torch.optim.SGD([x], lr=0.1)
torch.optim.Adam([x])
torch.optim.LBFGS([x])
torch.optim.lr_scheduler.StepLR(torch.optim.SGD([x], lr=0.1), 2)
torch.optim.lr_scheduler.OneCycleLR(torch.optim.SGD([x], lr=0.1), 0.1, 10)
torch.utils.data.DataLoader([1, 2], batch_size=2)
torch.utils.data.DataLoader([1, 2], shuffle=True).sampler
torch.utils.data.TensorDataset(torch.ones(2))
torch.distributions.Normal(0.0, 1.0)
torch.distributions.Categorical(torch.ones(2))
torch.distributions.constraints.real
torch.distributions.constraints.positive
torch.distributions.constraints.positive_integer
torch.distributions.constraints.unit_interval
torch.distributions.constraints.simplex
torch.distributions.constraints.real_vector
torch.distributions.transforms.ExpTransform()
""".strip().splitlines()


def record(torch: ModuleType) -> dict[str, list[str]]:
    """The public names of every class and object, by what is written for it.

    Of a layer, an optimizer and their like only those that its kind (`KINDS`) does not bring it.
    """
    kinds = {attrgetter(name)(torch): name for name in KINDS}
    recorded = {}
    for name, thing in looked_at(torch).items():
        kind = next((base for base in getattr(thing, "__mro__", ())[1:] if base in kinds), None)
        recorded[name] = sorted(public(thing) - (public(kind) if kind else set()))
    return recorded


def looked_at(torch: ModuleType) -> dict[str, Any]:
    """Every class and object, by what is written for it."""
    found: dict[str, Any] = {}
    for name in MODULES:
        for key, value in sorted(vars(attrgetter(name)(torch)).items()):
            if isinstance(value, type) and not key.startswith("_"):
                found[f"torch.{name}.{key}"] = value
    given = surroundings(torch)
    return found | {text: eval(text, given) for text in OBJECTS}


def surroundings(torch: ModuleType) -> dict[str, Any]:
    """What the objects are made of."""
    given: dict[str, Any] = {"torch": torch}
    program = (
        "x = torch.ones(2, 2, requires_grad=True)\ny = x * 2\n"
        "class F(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return grad * 2\n"
    )
    exec(program, given)
    return given


def public(thing: object) -> set[str]:
    """Its attributes without an underscore."""
    return {name for name in dir(thing) if not name.startswith("_")}


if __name__ == "__main__":
    import torch
    import torch.nn.utils.prune  # which does not come with the rest

    golden.save(golden.lines(record(torch)) + "\n", sys.argv[1])
