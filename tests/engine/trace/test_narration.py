"""The narration says what happened, every sentence is a claim that holds, and the seed lesson's points are all made."""

from __future__ import annotations

import re

import msgspec
import pytest

from app.lessons.lesson import lessons
from engine.trace.claims import verify
from engine.trace.document import Trace
from engine.trace.marks import bare
from engine.trace.play import play
from tests.engine.trace.test_play import SEED


def told(trace: Trace) -> str:
    """Everything that is said, in order."""
    return bare("\n".join(sentence for step in trace.steps for sentence in (step.text, *step.detail)))


def line_told(trace: Trace, line: int) -> str:
    steps = [step for step in trace.steps if step.span is not None and step.span.line == line]
    return bare("\n".join(sentence for step in steps for sentence in (step.text, *step.detail)))


def test_seed_narration_makes_every_point_of_the_lesson() -> None:
    trace = play(SEED)
    points = {
        3: ["a is created: 3", "so it is a leaf", "a.grad is None"],
        4: ["b is created: 4", "so it is a leaf", "the graph is empty"],
        5: [
            "a * b is recorded as MulBackward0", "MulBackward0 saves b = 4", "MulBackward0 saves a = 3",
            "grad · b", "grad · a",
        ],
        6: ["c + a is recorded as AddBackward0", "a now feeds the graph through two paths: a * b and c + a"],
        7: [
            "∂d/∂d = 1", "AddBackward0 passes 1 to c unchanged", "AddBackward0 passes 1 to a unchanged",
            "MulBackward0 sends 1 · 4 = 4 to a", "MulBackward0 sends 1 · 3 = 3 to b", "Two paths meet at a: 1 + 4 = 5",
            "a.grad: None → 5", "∂d/∂a = 1 + b = 1 + 4 = 5", "∂d/∂b = a = 3", "Only leaves keep a gradient",
        ],
        8: ["Prints: 5.0 3.0"],
    }  # fmt: skip
    for line, wanted in points.items():
        for point in wanted:
            assert point in line_told(trace, line)


def test_every_number_follows_a_changed_snippet() -> None:
    words = told(play(SEED.replace("4.0", "7.0")))
    for point in ("1 · 7 = 7 to a", "1 + 7 = 8", "a.grad: None → 8", "∂d/∂a = 1 + b = 1 + 7 = 8", "Prints: 8.0 3.0"):
        assert point in words
    assert re.findall(r"(?<!Line )\b[45]\b", words) == []


def test_three_kinds_of_nothing_read_differently() -> None:
    code = """\
import torch
x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(0.0, requires_grad=True)
unused = torch.tensor(1.0, requires_grad=True)
k = unused * 2
z = x * y
z.backward()
"""
    words = told(play(code))
    assert "x.grad is None: no backward pass has filled it yet." in words
    assert "x.grad: None → 0." in words
    assert "This 0 is a number that was computed; None would mean that no gradient came at all." in words
    assert "unused was not reached: no path leads there from z." in words


PROGRAMS = {
    "seed": SEED,
    "broadcast": """\
import torch
w = torch.tensor(2.0, requires_grad=True)
x = torch.tensor([1.0, 2.0])
(w * x).sum().backward()
""",
    "square": """\
import torch
a = torch.tensor(3.0, requires_grad=True)
(a * a).backward()
""",
    "twice": SEED + "e = a * b\ne.backward()\n",
    "loop": """\
import torch
w = torch.tensor(1.0, requires_grad=True)
for i in range(3):
    (w * w).backward()
    w.grad = None
""",
    "retain": """\
import torch
a = torch.tensor(3.0, requires_grad=True)
b = a * 2
b.retain_grad()
(b * b).backward()
print(b.grad)
""",
    "no grad": """\
import torch
a = torch.tensor(3.0, requires_grad=True)
with torch.no_grad():
    b = a * 2
c = a.detach()
d = a > 2
""",
    "function": """\
import torch
def f(x):
    y = x * x
    return y
a = torch.tensor(3.0, requires_grad=True)
f(a).backward()
f(a).item()
""",
    "division": """\
import torch
a = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(4.0, requires_grad=True)
(a / b - b).backward()
""",
    "matrix": """\
import torch
a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
(a @ a).sum().backward()
""",
    "functions": """\
import torch
a = torch.tensor(0.5, requires_grad=True)
(a.exp() * a.tanh() + a.sigmoid() * a.relu()).backward()
""",
    "error": SEED + "d.backward()\n",
    "in place": """\
import torch
a = torch.tensor(3.0, requires_grad=True)
b = a * 2
c = b * b
b.add_(1)
c.backward()
""",
}


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_every_sentence_is_a_claim_that_holds(code: str) -> None:
    trace = play(code)
    assert verify(trace) == []
    assert all(step.text for step in trace.steps)


def test_a_false_claim_is_found() -> None:
    trace = play(SEED)
    for step in trace.steps:
        for claim in step.claims:
            if claim.says == "gradient":
                step.claims = (msgspec.structs.replace(claim, text="6"),)
    assert verify(trace)


def test_a_sentence_without_a_claim_of_its_own_is_found() -> None:
    trace = play(SEED)
    step = next(step for step in trace.steps if step.detail)
    step.claims = tuple(claim for claim in step.claims if claim.sentence != 1)
    assert [complaint for complaint in verify(trace) if step.detail[0] in complaint]


def test_every_sentence_of_the_lessons_has_a_claim_of_its_own() -> None:
    for lesson in lessons().values():
        for step in play(lesson.snippet).steps:
            assert {claim.sentence for claim in step.claims} == set(range(1 + len(step.detail))), step


def test_a_line_that_runs_again_is_told_for_which_time() -> None:
    trace = play("import torch\nw = torch.ones(())\nfor _ in range(112):\n    w.item()\n")
    times = [bare(step.text) for step in trace.steps if "for the" in step.text]
    wanted = {2: "second", 3: "third", 9: "ninth", 10: "10th", 11: "11th", 12: "12th", 13: "13th", 20: "20th", 21: "21st",
              22: "22nd", 23: "23rd", 24: "24th", 101: "101st", 111: "111th", 112: "112th"}  # fmt: skip
    for count, word in wanted.items():
        assert f"Line 4, for the {word} time: w.item()" in times, count


def test_a_write_through_a_view_or_a_detached_twin_changes_what_the_owner_is_said_to_hold() -> None:
    code = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y[1:].mul_(10)
z = y * y
d = z.detach()
d.zero_()
w = z + 1
"""
    trace = play(code)
    words = told(trace)
    assert "MulBackward0 saves y = [2, 40]." in words
    assert "z shares its storage, so the numbers change there too." in words
    assert "z + 1 is computed: [1, 1]." in words
    assert verify(trace) == []


def test_batch_norms_silent_write_is_told() -> None:
    code = "import torch\nbn = torch.nn.BatchNorm1d(1)\nbn(torch.tensor([[1.0], [3.0]]))\n"
    assert "Its version stays" in told(play(code))


def test_differences_of_near_numbers_are_shown_with_digits_enough() -> None:
    code = "import torch\nx = torch.tensor(4.0, requires_grad=True)\nx.tanh().backward()\n"
    trace = play(code)
    assert verify(trace) == []
    assert "1 · (1 − 0.999329 · 0.999329) = 0.001341" in told(trace)


@pytest.mark.parametrize("result", ["c.sum()", "c.prod()", "(c * c).sum()", "(c / 2j).mean()"])
def test_a_complex_result_is_played_to_its_end(result: str) -> None:
    code = f"import torch\nc = torch.tensor([1 + 2j, 0.5j], requires_grad=True)\nr = {result}\nr.backward(torch.ones_like(r))\n"
    trace = play(code)
    assert trace.outcome.status == "ok"
    assert verify(trace) == []


def test_a_version_that_is_set_is_not_called_a_write() -> None:
    code = """\
import torch
y = torch.ones(2)
y.add_(1)
torch.autograd.graph.increment_version(y)
with torch.autograd._unsafe_preserve_version_counter(y):
    y.mul_(2)
"""
    trace = play(code)
    assert verify(trace) == []
    words = told(trace)
    assert "increment_version changes no number of y. Its version goes from 1 to 2." in words
    assert "_unsafe_preserve_version_counter changes no number of y. Its version goes from 3 to 2." in words


def test_a_checkpoint_says_what_runs_again_and_what_its_policy_had_kept() -> None:
    trace = play(
        "import functools\n"
        "import torch\n"
        "from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts\n"
        "def block(x):\n"
        "    return (x @ x).sin().sum()\n"
        "x = torch.ones(2, 2, requires_grad=True)\n"
        "kept = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])\n"
        "checkpoint(block, x, use_reentrant=False, context_fn=kept).backward()\n"
    )
    assert trace.outcome.status == "ok", trace.outcome
    kinds = [step.__struct_config__.tag for step in trace.steps]
    assert kinds.count("recomputed") == kinds.count("recalled") == 1
    assert kinds.index("recomputed") < kinds.index("recalled")
    text = told(trace)
    assert "block runs again: its checkpoint had kept the inputs only" in text
    assert "aten.mm.default is not computed again: the checkpoint's policy had its result kept." in text


def test_only_shapes_that_broadcast_are_said_to_be_stretched() -> None:
    words = told(
        play("import torch\na = torch.ones(10, 8) @ torch.ones(8, 24)\nb = torch.ones(3, 1) * torch.ones(4)\n")
    )
    assert "The shapes [3, 1] and [4] are stretched to [3, 4]." in words
    assert "[10, 8] and" not in words


def test_a_modules_forward_is_not_taken_for_a_custom_function() -> None:
    code = """\
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(2)
    def forward(self, x):
        return self.norm(x)
Net()(torch.tensor([[1.0, 3.0]])).sum().backward()
"""
    trace = play(code)
    assert verify(trace) == []
    assert "counts as one operation" not in told(trace)
    assert "It is each sample's mean, which NativeLayerNormBackward0 made beside its result" in told(trace)


CUSTOM = """\
import torch
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, up):
        return up * 2
a = torch.tensor(3.0, requires_grad=True)
Double.apply(a).backward()
"""


def test_a_custom_function_tells_what_it_saves_and_whose_derivative_runs() -> None:
    trace = play(CUSTOM)
    assert verify(trace) == []
    for point in (
        "Inside Double.forward() nothing is recorded: what Double does counts as one operation",
        "You wrote its derivative: Double.backward() will compute the gradients.",
        "DoubleBackward saves a = 3.",
        "Inside Double.backward(), up is the gradient that arrived: 1.",
        "That is what your Double.backward() returned for it.",
        "DoubleBackward has used what it saved (a) and frees it.",
    ):
        assert point in told(trace)


def test_a_leaf_whose_name_moved_on_is_called_by_its_line_or_turn() -> None:
    code = """\
import torch
w = torch.tensor(2.0, requires_grad=True)
w = w * 3
w.backward()
"""
    words = told(play(code))
    assert "MulBackward0 sends 1 · 3 = 3 to the w of line 2." in words
    assert "The .grad of the w of line 2: None → 3." in words
    loop = """\
import torch
h = torch.tensor(1.0, requires_grad=True)
for turn in range(3):
    h = h * 2
h.backward()
"""
    assert "MulBackward0 sends 1 · 2 = 2 to the h of turn 2." in told(play(loop))


def test_gradients_of_a_recorded_pass_are_called_what_they_are() -> None:
    code = """\
import torch
x = torch.tensor(2.0, requires_grad=True)
(slope,) = torch.autograd.grad(x ** 3, x, create_graph=True)
slope.backward()
"""
    trace = play(code)
    assert verify(trace) == []
    assert any(tensor.label.startswith("∂(x ** 3)/∂") for tensor in trace.tensors)
    assert "an unnamed tensor" not in told(trace)


def test_a_comparison_gives_its_leaf_no_accumulate_grad() -> None:
    words = told(play("import torch\nx = torch.ones(2, requires_grad=True)\nm = x > 0\nn = x.bool()\n"))
    assert "AccumulateGrad" not in words
    assert "x > 0 gives True or False, and those have no slope: the path back to x ends here." in words


def test_a_parameter_that_is_frozen_later_is_said_to_have_been_made_as_one() -> None:
    code = """\
import torch
net = torch.nn.Linear(2, 1)
net.requires_grad_(False)
"""
    words = told(play(code))
    assert words.count("It is a parameter: a leaf that requires grad.") == 2
    assert "You asked for" not in words


def test_only_what_is_stretched_is_called_stretched() -> None:
    words = told(play("import torch\na = torch.ones(2, 1) * torch.ones(2, 2)\n"))
    assert "The shape [2, 1] is stretched to [2, 2]." in words


def test_a_name_for_what_was_saved_is_not_called_passed_in() -> None:
    words = told(
        play("""\
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x ** 2
x = torch.tensor(2.0, requires_grad=True)
Cube.apply(x).backward()
""")
    )
    assert "Inside Cube.forward(), x is the tensor that was passed in: 2." in words
    assert "Inside Cube.backward(), x is the tensor that was saved: 2." in words


def test_what_a_write_into_a_view_had_saved_is_told_by_the_write() -> None:
    code = "import torch\nx = torch.ones(3, requires_grad=True)\ny = x * 2\ny[0].mul_(4)\ny.sum().backward()\n"
    words = told(play(code))
    assert "CopySlices has used what it saved (for y[0].mul_(4)) and frees it." in words


def test_an_assignment_that_wrote_is_not_called_by_pytorchs_method() -> None:
    trace = play("import torch\nx = torch.zeros(3)\nx[0] = 1.0\nx[1:].copy_(torch.ones(2))\n")
    written = [reason.text for reason in trace.reasons if reason.cause == "written"]
    assert written == [
        "`x` = [1, 0, 0]: the assignment wrote into it on line 3.",
        "`x` = [1, 1, 1]: `copy_` wrote into it on line 4.",
    ]


def test_a_tensor_called_grad_is_not_mixed_up_with_what_arrives() -> None:
    words = told(play("import torch\ngrad = torch.tensor(3.0, requires_grad=True)\n(grad ** 2).backward()\n"))
    assert "grad · 2 · (your grad); grad is what arrived" in words
