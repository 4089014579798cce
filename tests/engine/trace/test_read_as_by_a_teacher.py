"""What a teacher objected to, reading 46 programs sentence by sentence: each is told as it is here, and no more as it was."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from engine.trace.claims import verify
from engine.trace.claims.reasons import wrong_reasons
from engine.trace.play import play
from tests.engine.trace.said import everything_said

SQUARE = """\
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        half = t * 0.5
        ctx.half = half
        return half * half

    @staticmethod
    def backward(ctx, up):
        return up * ctx.half
"""


class Case(NamedTuple):
    """A program, what is said of it and what must not be."""

    code: str
    said: tuple[str, ...]
    unsaid: tuple[str, ...] = ()


CASES = {
    "a pass that starts in two places, one behind the other": Case(
        "a = torch.tensor(2.0, requires_grad=True)\nh = a * 3\ny = h ** 2\ntorch.autograd.backward([y, h])",
        ("Two paths meet at `h`: 1 + 12 = 13.", "The pass starts at `h` too: what it starts with there counts as a message."),
        ("A tensor that is used twice",),
    ),
    "a gradient that a write through .data made 0": Case(
        "a = torch.tensor([1.0, 2.0], requires_grad=True)\nout = a.sigmoid()\nc = out.data\nc.zero_()\nout.sum().backward()\nprint(a.grad)",
        ("made it 0, because what it had saved was overwritten on line 5.",),
        ("levelled out",),
    ),
    "a checkpoint's node is nobody's own": Case(
        "from torch.utils.checkpoint import checkpoint\nx = torch.ones(1, requires_grad=True)\n"
        "checkpoint(torch.exp, x * 2, use_reentrant=True).sum().backward()",
        ("is recorded as `CheckpointFunctionBackward`",),
        ("You wrote its derivative", "your `CheckpointFunction.backward()`"),
    ),
    "a block that switched recording on ends": Case(
        "with torch.no_grad():\n    with torch.enable_grad():\n        a = 1\n    b = 2",
        ("The end of `with torch.enable_grad():`: recording is off again, as it was before.",),
        ("`with torch.enable_grad():` turns recording off",),
    ),
    "a hook that writes into the gradient turns it into another": Case(
        "x = torch.tensor([3.0], requires_grad=True)\n"
        "def clip(g):\n    g.clamp_(-1, 1)\n"
        "x.register_hook(clip)\nx.register_post_accumulate_grad_hook(lambda p: print(p.grad.mul_(5)))\n(x * 2).backward()",
        ("Your hook `clip` runs on the gradient of `x` and turns [2] into [1].",
         "Your hook `<lambda>` runs after a gradient was stored in `x`: [1]."),
        ("and sees [1]; it puts nothing in its place", "was stored in `x`: [5]"),
    ),
    "a leaf that is detached never had a history": Case(
        "x = torch.ones(1, requires_grad=True)\nx.detach_()\nh = torch.ones(1, requires_grad=True) * 2\nh.detach_()",
        ("`detach_()` takes `x` itself out of the graph: from now on it does not require grad.",
         "`detach_()` takes `h` itself out of the graph: from now on it has no history."),
    ),
    "a part that is written to at some places is not what the brackets say": Case(
        "out = torch.zeros(3, 2)\nout[[0, 2], 1] = torch.ones(2)\nout[0] = torch.ones(1, 2)",
        ("The assignment writes into `select(out)`: it now holds [1, 0, 1].", "`out[0]` is a view of `out`",
         "`view(torch.ones(1, 2))` is a view of `torch.ones(1, 2)`", "The assignment writes into `out[0]`: it now holds [1, 1]."),
        ("`out[[0, 2], 1]` is a view", "`out[0]` is a view of `torch.ones(1, 2)`"),
    ),
    "a parameter that a step moved is what the pass lacks": Case(
        "net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Linear(1, 1))\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nloss = net(torch.ones(1, 1)).sum()\n"
        "loss.backward(retain_graph=True)\nopt.step()\ntry:\n    loss.backward()\nexcept RuntimeError:\n    pass",
        ("The pass was broken off: `AddmmBackward0` needs `t(net[1].weight)` as it was, and it was written to since.",),
        ("`AddmmBackward0` raised an error",),
    ),
    "what grad() finds inside of a function does not come from outside": Case(
        "def slope(a):\n    (g,) = torch.autograd.grad((a * a).sum(), a)\n    return g\n"
        "x = torch.ones(2, requires_grad=True)\nslope(x)",
        ("The name `g` now means this tensor: [2, 2].",),
        ("`g` is the tensor from outside",),
    ),
    "what is asked for by an edge alone": Case(
        "from torch.autograd.graph import get_gradient_edge\n"
        "x = torch.ones(2, requires_grad=True)\nh = x.exp()\nedge = get_gradient_edge(h)\nloss = h.sum()\nother = h.sum()\ndel h\n"
        "torch.autograd.grad(loss, edge, retain_graph=True)\ntorch.autograd.grad([loss, other], x)",
        ("`grad()` asks how `loss` depends on what an edge of the graph stands for.",
         "`grad()` asks how `loss` and `other` depend on `x`."),
        ("depends on .",),
    ),
    "a layer that a loop went over in passing is called by the name that it keeps": Case(
        "from torch import nn\n"
        "class Factors(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.u, self.i = nn.Embedding(2, 2), nn.Embedding(2, 2)\n"
        "        for e in (self.u, self.i):\n"
        "            nn.init.ones_(e.weight)\n"
        "for sparse in (False, True):\n"
        "    m = Factors()\n"
        "    (m.u(torch.tensor([0])) * m.i(torch.tensor([1]))).sum().backward()",
        ("`fill_` writes into `m.u.weight`: it now holds [[1, 1], [1, 1]]. Its version goes from 1 to 2.",),
        ("writes into `e.weight`", "earlier `e.weight`"),
    ),
    "a tensor that holds what an earlier pass started from is not that pass's": Case(
        "x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])\n"
        "torch.autograd.functional.jvp(lambda t: t * t.sum(), x, v)\n"
        "torch.func.jacrev(torch.sin)(torch.zeros(2))",
        ("`SinBackward0` saves the copy of `torch.zeros(2)` = [0, 0].",),
        ("`SinBackward0` saves `∂",),
    ),
    "a check's inner results are not what the check gives": Case(
        f"{SQUARE}x = torch.tensor([0.3], dtype=torch.float64, requires_grad=True)\n"
        "torch.autograd.gradcheck(Square.apply, (x,))",
        ("`Square` in `torch.autograd.gradcheck(…)` is recorded as `SquareBackward`.",
         "Inside `Square.backward()`, `up` is filled with 0, since no gradient arrived: [0].",
         "`t * 0.5` on line 5 is computed in `Square.forward()`, where nothing is recorded.",
         "Compute it again in `Square.backward()`, from what `ctx.save_for_backward()` kept."),
        ("`torch.autograd.gradcheck(Square.apply, (x,))` is computed", "Use a recorded operation in its place."),
    ),
    "a comparison of two tensors gives one truth value": Case(
        "a, b = torch.ones(2), torch.ones(2)\ntorch.allclose(a, b)",
        ("`isclose` in `torch.allclose(a, b)` is computed: [True, True].",),
    ),
    "a layer is no tensor": Case(
        "emb = torch.nn.Embedding(2, 2, padding_idx=0)",
        ("`select(emb.weight)` is a view of `emb.weight`",),
        ("`torch.nn.Embedding(2, 2, padding_idx=0)` is computed",),
    ),
    "a layer inside of another is called by its own name": Case(
        "model = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.ReLU(), torch.nn.Linear(1, 1))\n"
        "def look(module, inputs, output):\n    pass\n"
        "model[1].register_forward_hook(look)\nmodel(torch.ones(1, 1))",
        ("`model[1](inputs[0])` is recorded as `ReluBackward0`.",),
        ("`model(torch.ones(1, 1))` is recorded as `ReluBackward0`.", "`output` = `model(torch.ones(1, 1))`"),
    ),
    "an argument that a transform copies is not what the transform gives": Case(
        "from torch.autograd.functional import hessian\n"
        "def f(a):\n    return (a ** 3).sum()\n"
        "a = torch.tensor([1.0])\nhessian(f, a)",
        ("`view(the copy of a)` is recorded as `ViewBackward0`.",),
        ("`hessian(f, a)` is recorded as `ViewBackward0`.", "`a` = `hessian(f, a)`", "torch.func",
         "What is `a.grad_fn` after this line?"),
    ),
    "a gradient that happens to be 1 is no pass's start": Case(
        "b = torch.zeros((), requires_grad=True)\nb.backward()\nb.grad.zero_()",
        ("`zero_` writes into `b.grad`: it now holds 0.",),
        ("writes into `∂b/∂b`",),
    ),
    "attention's arguments are told apart": Case(
        "m = torch.nn.MultiheadAttention(2, 1, batch_first=True)\nx = torch.ones(1, 2, 2)\n"
        "m(x, x, x, need_weights=False)[0].sum().backward()",
        ("`attention` in `m` is recorded as", "`query` in `m`", "`P` is the weights that softmax gave"),
        ("is the earlier `view(transpose in m)`", "scaled_dot_product_flash_attention_for_cpu"),
    ),
    "a result between two layers is not what the outer one gives": Case(
        "layer = torch.nn.TransformerEncoderLayer(2, 1, 4, dropout=0.0, batch_first=True)\nout = layer(torch.ones(1, 2, 2))",
        ("`add` in `layer` is recorded as `AddBackward0`.", "`layer(torch.ones(1, 2, 2))` is computed:"),
        ("`layer(…)` is recorded as `AddBackward0`.", "`out` is computed"),
    ),
    "what a write changes sends its gradient through the write": Case(
        "x = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x * 2\ny[0].mul_(10)\ny[1] = 0\ny.sum().backward()",
        ("is `grad, through mul_ at the part written to`", "is `grad, 0 at the part written to`",
         "The assignment writes into `y[1]`"),
        ("`fill_` writes into",),
    ),
    "places in a list have brackets of their own": Case(
        "x, y = torch.zeros(3), torch.tensor([1.0, 2.0], requires_grad=True)\nx[[0, 2]] = y\nx.sum().backward()",
        ("saves `[0, 2]`.", "will be `grad at [0, 2]`.", "The assignment writes into `x`"),
        ("`grad[0, 2]`", "`index_put_` writes", "`[0, 2]` = [0, 2]"),
    ),
    "an operator in place is called as Python writes it": Case(
        "w = torch.ones(2)\nw -= 0.5",
        ("`-=` writes into `w`: it now holds [0.5, 0.5].", "`-=` wrote into it on line 3."),
        ("`sub_`",),
    ),
    "in a loop a derivative is told by which one it is taken": Case(
        "x = torch.tensor(2.0, requires_grad=True)\nh = x * 1\nfor i in range(2):\n    h = h * x\nh.backward()",
        ("∂h/∂(h of turn 1)",),
        ("∂h/∂h = 2",),
    ),
    "a minus before a minus has parentheses": Case(
        "x = torch.tensor(2.0, requires_grad=True)\ny = (5 - (1 - x)) * -3\ny.backward()",
        ("−(−3) = 3",),
        ("−−3",),
    ),
    "a gradient that was passed is explained": Case(
        "x = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x * x\ny.backward(torch.tensor([1.0, 0.5]))",
        ("In the formulas of this pass `L` is `y` times that gradient, added up.",),
    ),
    "symbols are explained where they first stand": Case(
        "n, x = torch.nn.LayerNorm(2), torch.tensor([[1.0, 3.0]])\nn(x).sum().backward()",
        ("saves its own `result1` (each sample's mean), [[2]]", "It is one over each sample's standard deviation"),
    ),
    "the sigmoid is no standard deviation": Case(
        "x = torch.tensor([0.5, 1.0], requires_grad=True)\n"
        "torch.nn.functional.binary_cross_entropy_with_logits(x, torch.ones(2)).backward()",
        ("; `σ` is the sigmoid function",),
    ),
    "truth values are no numbers": Case(
        "mask = torch.tril(torch.ones(3, 3)).bool()",
        ("3 × 3 truth values, 6 of them True",),
        ("`mask` = 3 × 3 numbers",),
    ),
    "a complex number is a number": Case(
        "z = torch.tensor([1 + 2j], requires_grad=True)\n(z * (2 + 1j)).abs().sum().backward()",
        ("saves the number 2+1j.", "`grad · conj(2+1j)`"),
        ("other = (2+1j)",),
    ),
    "one element is not shared among one": Case(
        "x = torch.tensor([2.0], requires_grad=True)\ntorch.nn.functional.mse_loss(x, torch.ones(1)).backward()",
        ("will be `grad · 2 · (x − torch.ones(1))`",),
        ("/ 1",),
    ),
    "a matrix that was turned is turned back": Case(
        "q, k = (torch.ones(2, 2, requires_grad=True) for _ in range(2))\n(q @ k.T).sum().backward()",
        ("`grad @ (k.T)ᵀ`",),
        ("@ k.Tᵀ",),
    ),
    "a checkpoint's hooks are not the person's": Case(
        "from torch.utils.checkpoint import checkpoint\nx = torch.ones(1, requires_grad=True)\n"
        "checkpoint(torch.sin, x, use_reentrant=False).backward()",
        ("`SinBackward0` will need `x`, and the checkpoint has it computed again then.",),
        ("your hook",),
    ),
    "a checkpoint of untracked tensors records nothing": Case(
        "from torch.utils.checkpoint import checkpoint\nm = torch.nn.Linear(1, 1)\n"
        "y = checkpoint(m, torch.ones(1, 1), use_reentrant=True)",
        ("is recorded only if a tensor that it is given requires grad.", "Pass `use_reentrant=False`"),
        ("Use a recorded operation in its place.",),
    ),
    "a leaf of an earlier turn is not missed": Case(
        "for i in range(2):\n    x = torch.tensor(1.0, requires_grad=True)\n    (x * 2).backward()",
        (),
        ("was not reached", "the `x` of turn 1"),
    ),
    "what a result is used for later is not known during a pass": Case(
        "a, b = (torch.ones((), requires_grad=True) for _ in range(2))\nc = b * 2\na.backward()\nd = c * 5",
        ("`b` leads to `c`, but backward started from `a` on line 4",),
        ("`b` leads to `d`",),
    ),
    "requires_grad_() makes a leaf": Case(
        "a = torch.arange(2.0).reshape(2, 1).requires_grad_()\nb = a * 2",
        ("`a` is a leaf: it requires grad since line 2, and nothing before that was recorded.",),
    ),
    "a zero among zeros is not sent to each element": Case(
        "x = torch.tensor([1.0, 2.0], requires_grad=True)\n(x[0] * 0).backward()",
        ("sends `0 at [0], 0 elsewhere = [0, 0]` to `x`.",),
        ("to each of the 2 elements of `x`",),
    ),
    "a loop over a tensor takes its parts": Case(
        "xs = torch.ones(2, 1, requires_grad=True)\nfor x in xs:\n    x * 2",
        ("Going through `xs` is recorded as `UnbindBackward0`.", "`xs[1]` is computed: [1].", "`x` = [1], by going through `xs` (line 3)."),
        ("`x` is computed", "`for x in xs` is recorded"),
    ),
    "a write by assignment is recorded as a write": Case(
        "x = torch.ones(3, requires_grad=True)\ny = x * 2\ny[[0, 1]] = x[:2]",
        ("The write into `y` is recorded as `IndexPutBackward0`.",),
        ("`y[[0, 1]]` is recorded",),
    ),
    "a change of form in place is recorded as that": Case(
        "a, b = torch.ones(2), torch.ones(2, 2, requires_grad=True)\nc = a @ b",
        ("The `squeeze_` of `a @ b` is recorded as `SqueezeBackward4`.",),
    ),
    "a sum shows what was added": Case(
        "x = torch.tensor(3.0, requires_grad=True)\n(x * 5 + x * 1e-4).backward()",
        ("0.0001 + 5 = 5.0001",),
    ),
    "the norm of several gradients": Case(
        "w = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()\nn = torch.nn.utils.get_total_norm([w.grad, w.grad])",
        ("It is the norm of their norms: as long as all of them would be as one vector.",),
    ),
    "a write through a view of a gradient changes the gradient": Case(
        "w = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()\nw.grad[0] = 7",
        ("In the end `w.grad` is [7, 2].",),
        ("In the end `w.grad` is [2, 2].",),
    ),
    "a run of many leaves does not end without a word of them": Case(
        "m = torch.nn.Sequential(*[torch.nn.Linear(1, 1) for _ in range(3)])\nm(torch.ones(1, 1)).sum().backward()",
        ("In the end 6 leaves have a `.grad`.",),
    ),
    "a long loop header is cut": Case(
        f"for name, number in [{', '.join(f'(`{i}`, {i})'.replace('`', chr(34)) for i in range(30))}]:\n    x = torch.ones(1)",
        ("Turn 2 of `for name, number in [",),
        ('("29", 29)]`.',),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_it_is_told_as_it_is(case: Case) -> None:
    trace = play(f"import torch\n{case.code}\n")
    told = list(everything_said(trace))
    assert trace.outcome.status == "ok"
    assert [words for words in case.said if not any(words in sentence for sentence in told)] == []
    assert [sentence for sentence in told if any(words in sentence for words in case.unsaid)] == []
    assert verify(trace) == []
    assert wrong_reasons(trace) == []


QUESTIONS = {
    "what arrives is what is sent": ("x = torch.tensor(3.0, requires_grad=True)\n(x * 1.0).backward()", "arriving_gradient", []),
    "a part too small to be seen in the sum": (
        "x = torch.tensor(3.0, requires_grad=True)\n(x * 5 + x * 1e-7).backward()", "accumulated", []
    ),
    "many leaves are counted": (
        "m = torch.nn.Sequential(*[torch.nn.Linear(1, 1) for _ in range(3)])\nloss = m(torch.ones(1, 1)).sum()\nloss.backward()",
        "which_get_grad", ["the 6 leaves that `loss` was computed from"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("code", "kind", "answers"), QUESTIONS.values(), ids=QUESTIONS.keys())
def test_questions_are_worth_asking(code: str, kind: str, answers: list[str]) -> None:
    asked = [question for question in play(f"import torch\n{code}\n").questions if question.kind == kind]
    assert [choice.text for question in asked for choice in question.choices if choice.right] == answers
