"""A run becomes a trace, whatever the snippet does."""

from __future__ import annotations

import io
import sys
import types
from contextlib import redirect_stdout

import msgspec
import pytest

from engine.trace.assemble import Assembler
from engine.trace.document import Trace
from engine.trace.environment import drop_in
from engine.trace.events import (
    BackwardStarted,
    BuffersFreed,
    GradientStored,
    MessageSent,
    MessagesSummed,
    NameBound,
    NodeRan,
    Printed,
    Step,
    TensorMade,
)  # fmt: skip
from engine.trace.limits import Limits
from engine.trace.parts import Span, Value
from engine.trace.play import play
from engine.trace.tape import Batch

SEED = """\
import torch

a = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(4.0, requires_grad=True)
c = a * b
d = c + a
d.backward()
print(a.grad.item(), b.grad.item())
"""


def kinds(trace: Trace) -> list[str]:
    return [kind_of(step) for step in trace.steps]


def test_seed_snippet_plays_backward_as_pytorch_runs_it() -> None:
    trace = play(SEED)
    told = []
    for step in trace.steps:
        match step:
            case BackwardStarted():
                told.append(f"seed {step.seeds[0].text}")
            case NodeRan():
                told.append(f"run {trace.nodes[step.node].name}")
            case MessageSent(value=Value(text=text)):
                told.append(f"{trace.nodes[step.node].symbol} sends {text} to {trace.nodes[step.to].name}")
            case MessagesSummed():
                sum_of = f"{step.before.text} + {step.incoming.text} = {step.value.text}"
                told.append(f"{sum_of}, {step.arrived} of {step.expected}")
            case BuffersFreed():
                told.append(f"freed {step.names}")
            case GradientStored():
                told.append(f"{trace.tensors[step.tensor].label}.grad {step.old} -> {step.new.text}")
            case Printed(span=Span(line=line)):
                told.append(f"printed {step.output!r} at line {line}")
    assert told == [
        "seed 1",
        "run AddBackward0",
        "+ sends 1 to MulBackward0",
        "+ sends 1 to AccumulateGrad",
        "run MulBackward0",
        "freed ['other', 'self']",
        "× sends 4 to AccumulateGrad",
        "1 + 4 = 5, 2 of 2",
        "× sends 3 to AccumulateGrad",
        "a.grad None -> 5",
        "b.grad None -> 3",
        "printed '5.0 3.0\\n' at line 8",
    ]


def test_each_operation_of_a_line_has_its_own_columns() -> None:
    trace = play("import torch\na = torch.tensor(2.0, requires_grad=True)\nd = a * a + a\n")
    columns = {node.name: (node.span.column, node.span.end_column) for node in trace.nodes if node.span}
    assert columns["MulBackward0"] == (4, 9)
    assert columns["AddBackward0"] == (4, 13)


def test_same_code_gives_the_same_bytes() -> None:
    code = SEED + "import random\nprint(random.random(), torch.randn(3), {id(a) > 0})\n"
    assert msgspec.json.encode(play(code)) == msgspec.json.encode(play(code))


OWN_FUNCTION = """\
import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad
a = torch.tensor(3.0, requires_grad=True)
Square.apply(a).backward()
"""


def test_a_persons_own_function_goes_by_its_name_and_by_no_address() -> None:
    trace = play(OWN_FUNCTION)
    (made,) = (step for step in trace.steps if isinstance(step, TensorMade) and step.node is not None)
    assert made.operator == "Square"
    assert b" at 0x" not in msgspec.json.encode(trace)


ENDINGS = {
    "syntax": ("a = (1\nb = 2\n", "error", "SyntaxError", 1),
    "indentation": ("if 1:\nx = 1\n", "error", "IndentationError", 2),
    "null byte": ("a = 1\0", "error", "SyntaxError", None),
    "surrogate": ("a = '\ud800'", "error", "SyntaxError", None),
    "return outside": ("x = 1\nreturn x\n", "error", "SyntaxError", 2),
    "exception": ("x = 1\ny = x / 0\n", "error", "ZeroDivisionError", 2),
    "in a function": ("def f(x):\n    return x / 0\nf(1)\n", "error", "ZeroDivisionError", 2),
    "own exception": (
        "class Mine(Exception):\n    def __str__(self):\n        raise ValueError\nraise Mine()\n",
        "error",
        "Mine",
        4,
    ),
    "base exception": ("raise KeyboardInterrupt\n", "error", "KeyboardInterrupt", 1),
    "exit": ("import sys\nsys.exit(3)\n", "ok", None, None),
    "exit with word": ("raise SystemExit('bye')\n", "ok", None, None),
    "input": ("x = input('name? ')\n", "error", "EOFError", 1),
    "endless": ("n = 0\nwhile True:\n    n += 1\n", "limit", None, 2),
    "flood": ("while True:\n    print('x' * 100)\n", "limit", None, 2),
    "no torch name": ("import torch\ntorch.relux(1)\n", "error", "AttributeError", 2),
    "no module": ("import nosuchthing\n", "error", "ModuleNotFoundError", 1),
    "second backward": (SEED + "d.backward()\n", "error", "RuntimeError", 9),
    "empty": ("", "ok", None, None),
}


@pytest.mark.parametrize(("code", "status", "error", "line"), ENDINGS.values(), ids=ENDINGS.keys())
def test_run_ends_with_status_line_and_last_step(code: str, status: str, error: str | None, line: int | None) -> None:
    trace = play(code)
    assert (trace.outcome.status, trace.outcome.error) == (status, error)
    assert kinds(trace)[-1] == "ended"
    if line is not None:
        assert trace.outcome.span is not None
        assert abs(trace.outcome.span.line - line) <= (status == "limit")
    if status != "ok":
        assert trace.outcome.message or error == "KeyboardInterrupt"
        assert error in (None, "Mine", "KeyboardInterrupt") or trace.outcome.advice
    assert msgspec.json.decode(msgspec.json.encode(trace), type=Trace) == trace


def test_unknown_torch_name_gets_the_nearest_one() -> None:
    assert "tensor" in play("import torch\ntorch.tensr(1)\n").outcome.advice


def test_breakpoints_are_bookmarks_and_warnings_are_steps() -> None:
    trace = play("import warnings, pdb\nbreakpoint()\npdb.set_trace()\nwarnings.warn('careful')\nprint('on')\n")
    found = [kind for kind in kinds(trace) if kind != "line"]
    assert found == ["bookmark", "bookmark", "warned", "printed", "ended"]
    assert trace.stdout == "on\n"


def test_missing_plotting_is_silent_and_missing_data_raises_on_use() -> None:
    assert play("import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1])\nprint(1)\n").stdout == "1\n"
    trace = play("from torchvision import datasets\nprint('imported')\ndatasets.MNIST('.')\n")
    assert (trace.stdout, trace.outcome.error) == ("imported\n", "ModuleNotFoundError")
    assert "torchvision" in trace.outcome.advice


def process() -> list[object]:
    modules = [sys.modules.get(name) for name in ("torch", "__main__", "pdb", "tqdm")]
    return [sys.stdout, sys.stderr, sys.breakpointhook, *sys.meta_path, *modules]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_listening_changes_no_digit_of_a_gradient(dtype: str) -> None:
    """Derivatives run on the same arrays whether or not somebody listens."""
    code = f"""\
import torch

torch.manual_seed(0)
inputs = [torch.randn(*shape).to(torch.{dtype}).requires_grad_() for shape in ((4, 3), (5, 3), (5,))]
hidden = torch.nn.functional.linear(*inputs)
((hidden.tanh() ** 3).mean() + (hidden.t() @ hidden).sum()).backward()
print([each.grad.double().tolist() for each in inputs])
"""
    untraced = io.StringIO()
    with redirect_stdout(untraced), drop_in.installed(types.ModuleType("__main__"), "snippet.py"):
        exec(code, {"__name__": "__main__"})
    assert play(code, words=False).stdout == untraced.getvalue()


def test_process_is_left_as_it_was() -> None:
    before = process()
    play("import torch, pdb, tqdm, sys\nsys.stdout = None\n")
    assert process() == before
    assert "tqdm" not in sys.modules


def test_spent_step_budget_folds_and_the_run_goes_on() -> None:
    trace = play(SEED + "print('to the end')\n", Limits(steps=10))
    assert [type(step).__name__ for step in trace.steps[10:]] == ["StepsLeftOut", "Ended"]
    assert trace.folded > 10
    assert trace.stdout.endswith("to the end\n")
    assert trace.outcome.status == "ok"


def test_values_beyond_their_budget_keep_text_and_shape() -> None:
    trace = play("import torch\nx = torch.tensor([[1.0] * 8] * 8)\ny = x + 1\n", Limits(value_bytes=700))
    first, second = (tensor.value for tensor in trace.tensors[:2])
    assert first is not None
    assert second is not None
    assert first.data is not None
    assert second.data is None
    assert second.shape == [8, 8]


@pytest.mark.parametrize("value_bytes", [10_000, 20_000, 30_000])
def test_gradients_are_compared_only_while_their_numbers_are_kept(value_bytes: int) -> None:
    code = """
import torch
w = torch.ones(9, 9, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1.5)
for _ in range(8):
    optimizer.zero_grad()
    w.square().sum().backward()
    optimizer.step()
"""
    assert play(code, Limits(value_bytes=value_bytes)).outcome.status == "ok"


@pytest.mark.parametrize("prompt_lines", [0, 200])
def test_batches_rebuild_the_trace_of_a_killed_run(prompt_lines: int) -> None:
    batches: list[bytes] = []
    limits = Limits(batch=7, pause=1e9, prompt_lines=prompt_lines)
    whole = play(SEED, limits, lambda batch: batches.append(msgspec.msgpack.encode(batch)), words=False)
    assembler = Assembler(SEED)
    for data in batches:
        assembler.feed(msgspec.msgpack.decode(data, type=Batch))
    partial = assembler.finish("cpu")
    assert len(batches) > 3
    assert partial.steps[:-1] == whole.steps[:-1]
    assert (partial.tensors, partial.nodes, partial.scopes, partial.stdout) == (
        whole.tensors, whole.nodes, whole.scopes, whole.stdout,
    )  # fmt: skip
    assert partial.outcome == whole.outcome


def test_a_run_that_is_killed_ends_at_the_line_that_was_running() -> None:
    assembler = Assembler(SEED)
    play(SEED, Limits(batch=7, pause=1e9), assembler.feed, words=False)
    assembler.outcome = None  # what the last batch says, which a killed run does not send
    outcome = assembler.finish("cpu").outcome
    assert (outcome.status, outcome.limit, outcome.span and outcome.span.line) == ("limit", "cpu", 8)


def test_first_visit_of_a_line_is_sent_before_it_runs() -> None:
    seen: list[tuple[int, int]] = []

    def sink(batch: Batch) -> None:
        seen.append((batch.line, len(batch.steps)))

    play("x = 1\ny = 2\n", sink=sink)
    assert [line for line, _ in seen] == [1, 2, 2]


def names_bound(trace: Trace) -> list[tuple[str, str]]:
    return [(step.name, trace.scopes[step.scope].title) for step in trace.steps if isinstance(step, NameBound)]


def kind_of(step: Step) -> str:
    return str(step.__struct_config__.tag)


def test_names_are_followed_through_functions_loops_and_containers() -> None:
    code = """\
import torch
xs = [torch.tensor([1.0]), torch.tensor([0.0])]
xs.append(torch.tensor([1.0, 2.0]))
class Box: pass
box = Box()
def double(t):
    y = t * 2
    return y
for x in xs[:2]:
    box.w = double(x)
del x
z = double(xs[2])
"""
    trace = play(code)
    assert names_bound(trace) == [
        ("x", "turn 1: for x in xs[:2]"), ("t", "double()"), ("y", "double()"),
        ("box.w", "turn 1: for x in xs[:2]"),
        ("x", "turn 2: for x in xs[:2]"), ("t", "double()"), ("y", "double()"),
        ("box.w", "turn 2: for x in xs[:2]"),
        ("t", "double()"), ("y", "double()"), ("z", "the snippet"),
    ]  # fmt: skip
    assert trace.tensors[2].label == "xs[2]"
    assert kinds(trace).count("name_unbound") == 1


def test_generators_keep_their_own_scope() -> None:
    code = """\
import torch
def pieces(n):
    for i in range(n):
        t = torch.tensor(1.0) * i
        yield t
for p in pieces(2):
    q = p + 1
"""
    trace = play(code)
    places = dict(names_bound(trace))
    assert places == {
        "t": "turn 2: for i in range(n)",
        "p": "turn 2: for p in pieces(2)",
        "q": "turn 2: for p in pieces(2)",
    }


def test_stand_ins_do_not_get_in_the_way_of_the_engine() -> None:
    assert play("import torch\nprint(torch.special.ndtr(torch.tensor(0.0)).item())\n").stdout == "0.5\n"


def test_modules_are_scopes_by_their_path() -> None:
    code = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1)
    def forward(self, x):
        return self.fc(x)
model = Net()
out = model(torch.ones(1, 2))
"""
    trace = play(code)
    titles = [scope.title for scope in trace.scopes if scope.kind in ("module", "function")]
    assert titles == ["Net.__init__()", "model (Net)", "Net.forward()", "model.fc (Linear)"]
    assert "model.fc.weight" in [tensor.label for tensor in trace.tensors]


def test_an_unwatched_statement_costs_what_it_cost_while_watched() -> None:
    """A training loop ends at the same turn each time, and long before as many turns as an empty loop gets."""
    head = "import torch\nw = torch.ones(4, requires_grad=True)\nopt = torch.optim.Adam([w])\n"
    work = "    opt.zero_grad()\n    (w * w).sum().backward()\n    opt.step()\n"
    limits = Limits(work=20_000, steps=300)
    heavy, again = (play(f"{head}for i in range(100_000):\n{work}", limits, words=False) for _ in range(2))
    light = play(f"{head}for i in range(100_000):\n    a = i\n    b = i\n    c = i\n", limits, words=False)
    assert (heavy.outcome.status, heavy.outcome.limit) == ("limit", "steps")
    assert heavy.folded == again.folded
    assert 0 < heavy.folded < light.folded / 3


def test_a_kernel_that_goes_step_by_step_spends_the_budget_by_its_steps() -> None:
    code = (
        "import torch\nlstm = torch.nn.LSTM(2, 3)\nx = torch.randn({steps}, 1, 2)\nfor i in range(200):\n    lstm(x)\n"
    )
    limits = Limits(work=150_000)
    short, long = (play(code.format(steps=steps), limits, words=False).outcome for steps in (2, 100))
    assert (short.status, long.status, long.limit) == ("ok", "limit", "steps")
