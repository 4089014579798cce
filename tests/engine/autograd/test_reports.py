"""Every semantics has its event: what a snippet does to the graph is told, once, and the engine's own means are not."""

from __future__ import annotations

from typing import Any

import pytest

from engine.trace.play import play

LEAF = "import torch\nx = torch.ones(2, requires_grad=True)\n"
CHECKPOINT = f"from torch.utils.checkpoint import checkpoint\n{LEAF}"
DIRTY = f"""{LEAF}
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.mark_dirty(t)
        return t.mul_(2)
    @staticmethod
    def backward(ctx, g):
        return g * 2
Double.apply(x * 1)
"""
TOLD = [
    (f"{LEAF}y = x * 2\ny.register_hook(lambda g: g * 3)\ny.sum().backward()", "HookFired", {"hook": ["tensor"]}),
    (
        f"{LEAF}y = x * 2\ny.grad_fn.register_prehook(lambda o: None)\ny.grad_fn.register_hook(lambda i, o: None)\ny.sum().backward()",
        "HookFired",
        {"hook": ["node_pre", "node"]},
    ),
    (
        f"{LEAF}def step(p): pass\nx.register_post_accumulate_grad_hook(step)\nx.sum().backward()",
        "HookFired",
        {"hook": ["post_accumulate"], "function": ["step"]},
    ),
    (
        f"{LEAF}def all_in(g): pass\ntorch.autograd.graph.register_multi_grad_hook([x], all_in)\nx.sum().backward()",
        "HookFired",
        {"function": ["all_in"]},
    ),
    (
        f"{LEAF}with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):\n    y = x.exp()\ny.sum().backward()",
        "HookFired",
        {"hook": ["saved_pack", "saved_unpack"]},
    ),
    (
        (
            f"{LEAF}m = torch.nn.Linear(2, 1)\nm.register_forward_pre_hook(lambda m, a: None)\n"
            "m.register_forward_hook(lambda m, a, o: None)\nm.register_full_backward_hook(lambda m, i, o: None)\nm(x).sum().backward()"
        ),
        "HookFired",
        {"hook": ["module_forward", "module_forward", "module_backward"]},
    ),
    (
        f"{LEAF}y = x * 1\ny.add_(1)\ntorch.autograd.graph.increment_version(y)\nwith torch.no_grad():\n    y.zero_()",
        "ValueWritten",
        {"operator": ["add_", "increment_version", "zero_"], "version_after": [1, 2, 3]},
    ),
    (DIRTY, "ValueWritten", {"operator": ["mul_", "mark_dirty"]}),
    (f"{LEAF}v = x[0]", "ViewMade", {"base": [0]}),
    (f"{LEAF}(x * x).sum().backward()", "BuffersFreed", {"names": [["other", "self"]]}),
    (f"{CHECKPOINT}checkpoint(lambda t: t.exp(), x, use_reentrant=False).sum().backward()", "Recomputed", {}),
    (f"{CHECKPOINT}checkpoint(lambda t: t.exp(), x, use_reentrant=True).sum().backward()", "Recomputed", {}),
    (
        f"{LEAF}a = x.detach()\nb = x.data\nwith torch.no_grad():\n    c = x * 2\nd = (x > 0)",
        "GraphLeft",
        {"how": ["detach", "data", "no_grad", "integer"]},
    ),
]


@pytest.mark.parametrize(("code", "kind", "values"), TOLD)
def test_what_a_snippet_does_to_the_graph_is_told_once_by_its_event(
    code: str, kind: str, values: dict[str, list[Any]]
) -> None:
    steps = [step for step in play(code).steps if type(step).__name__ == kind]
    assert steps
    for name, expected in values.items():
        assert [getattr(step, name) for step in steps] == expected


@pytest.mark.parametrize(
    "code",
    [
        "import torch\ng = torch.func.grad(lambda t: (t ** 2).sum())(torch.ones(2))",
        f"{LEAF}y = x * x\ny.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)",
        f"{CHECKPOINT}checkpoint(lambda t: t.exp(), x, use_reentrant=False).sum().backward()",
    ],
)
def test_the_engines_own_means_are_not_told_as_leaving_the_graph(code: str) -> None:
    assert not [step for step in play(code).steps if type(step).__name__ == "GraphLeft"]
