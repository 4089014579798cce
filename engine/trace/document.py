"""The trace document: what one run of a snippet sends to a browser.

A `Trace` is complete and self-contained: tables of nodes, tensors, scopes and chapters, and the list of
steps (`engine.trace.events`), each small enough to be drawn without consulting its neighbours' text. The
OpenAPI document, the TypeScript types and the reference page are derived from these declarations, so every
field carries its sentence here.

Rules that hold everywhere:

* An id is an index into the table of its kind: node 3 is ``trace.nodes[3]``.
* Numbers JSON cannot spell are strings: ``"nan"``, ``"inf"``, ``"-inf"``.
* Lines are 1-based, columns 0-based offsets in characters, ends exclusive (as in CPython's ``co_positions``,
  but characters instead of bytes).
* No clock, no address, no hash order: the same code gives the same bytes (law 7).
"""

from __future__ import annotations

from typing import Literal

import msgspec

from engine.trace.events import Step
from engine.trace.parts import Claim, Formula, Span, Value

SCHEMA = 1
"""Version of the document. Fields are added, never removed or given another meaning, under one number."""


class Scope(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """A place in the program that encloses steps: the snippet, a function call, a module call, a loop turn."""

    kind: Literal["program", "function", "module", "loop_turn", "backward", "hook"]
    """What encloses: the snippet, a function's or module's call, a turn of a loop, a backward pass, a hook."""
    title: str
    """Human words, e.g. ``train_step()``, ``fc1 (Linear)``, ``turn 2: for x in data``."""
    parent: int | None = None
    """The enclosing scope; None only for the program itself (scope 0)."""
    span: Span | None = None
    """Where it was entered from: for a function the columns of its call, for a loop turn the loop's header."""


class Chapter(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """A run of consecutive steps that belongs together, for the scrubber and for jumping."""

    kind: Literal["forward", "backward", "optimizer", "other"]
    """Which part of training it is."""
    title: str
    """Human words, e.g. ``backward()``."""
    first: int
    """Index of its first step."""
    last: int
    """Index of its last step (inclusive)."""
    claims: list[Claim] = []
    """What the title asserts, checkable."""


class Edge(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """One entry of ``next_functions``: where the gradient for one argument goes."""

    node: int | None
    """The receiving node, or None where that argument needs no gradient."""
    input_nr: int
    """Which output of the receiving node's forward this is (PyTorch's second item)."""
    argument: str
    """The operator's name for the argument: ``self``, ``other``, ``mat2``, ``tensors[1]``."""
    tensor: int | None = None
    """The tensor that was passed as that argument."""
    derivative: str = ""
    """The derivative for that argument as the operator declares it, small functions followed: ``grad * other``."""


class Saved(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """One thing a node keeps for its derivative (``_saved_<name>``)."""

    name: str
    """Without the prefix: ``self`` is PyTorch's ``_saved_self``."""
    tensor: int | None = None
    """The saved tensor; None when it is a plain Python value."""
    version: int | None = None
    """The tensor's version at the time of saving."""
    text: str = ""
    """The value as people read it: ``3``, ``(2, 3)``, ``float32 [2, 3]``."""


class Node(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A node of the backward graph."""

    name: str
    """PyTorch's class name: ``MulBackward0``, ``AccumulateGrad``."""
    operator: str
    """The operator that made it (``mul``); empty for AccumulateGrad."""
    symbol: str
    """A few characters to draw in the node: ``×``, ``+``, ``exp``."""
    explains: str
    """One sentence on what the operator does and how gradients pass it."""
    edges: list[Edge] = []
    """``next_functions``, in order."""
    saved: list[Saved] = []
    """What it keeps for its derivative."""
    outputs: list[int] = []
    """Tensors whose grad_fn this node is, by output number."""
    leaf: int | None = None
    """For AccumulateGrad: the leaf it fills."""
    sequence_nr: int = 0
    """PyTorch's number: of the nodes that are ready, backward runs the highest first."""
    step: int = 0
    """The step that made it."""
    span: Span | None = None
    """The columns that made it."""
    scope: int = 0
    """The scope that it was made in."""
    formula: Formula | None = None
    """What its operator computes."""


class Tensor(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A tensor that the snippet made or saw."""

    label: str
    """What to call it: its first name in the source, or the source text that made it (``a * b``)."""
    names: list[str] = []
    """Every name it was bound to, in order: ``["w"]``, ``["model.fc1.weight"]``."""
    role: Literal["leaf", "parameter", "buffer", "constant", "intermediate", "gradient"] = "constant"
    """leaf and parameter require grad; intermediate has a grad_fn; constant does not require grad."""
    shape: list[int] = []
    """Sizes, outermost first; empty for a single number."""
    dtype: str = "float32"
    """Element type without the ``torch.``: ``float32``."""
    requires_grad: bool = False
    """PyTorch's ``requires_grad`` when it was made."""
    grad_fn: int | None = None
    """The node that made it; None for leaves and untracked tensors."""
    output_nr: int = 0
    """Which output of its grad_fn it is."""
    accumulator: int | None = None
    """A leaf's AccumulateGrad node, once something used the leaf."""
    base: int | None = None
    """For a view: the tensor whose storage it shares."""
    gradient_of: int | None = None
    """For role gradient: the tensor whose ``.grad`` it is."""
    value: Value | None = None
    """The value it was made with."""
    step: int = 0
    """The step that made it."""
    span: Span | None = None
    """The columns that made it."""
    scope: int = 0
    """The scope that it was made in."""


class Setting(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """What a layer was made with: ``in_features`` is ``128``."""

    name: str
    """The attribute's name."""
    text: str
    """Its value as Python writes it."""


class Given(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """One argument of the call that raised."""

    argument: str
    """The parameter's name, with the place in a list: ``input``, ``other``, ``tensors[1]``."""
    type: str
    """Its class as Python shows it: ``Tensor``, ``tuple``, ``numpy.ndarray``."""
    tensor: int | None = None
    """The tensor, where it is one."""
    text: str = ""
    """A plain number, string or truth value, or a tuple of numbers, as Python writes it."""


class Refused(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """The call that raised: the innermost layer with what it was made with, or the function, and what it was given."""

    module: str = ""
    """The layer as its scope is called, ``model.fc1 (Linear)``; empty where a function or a method raised."""
    settings: list[Setting] = []
    """The layer's whole numbers, truth values and tuples of them."""
    given: list[Given] = []
    """The arguments in order; of a list or tuple, each element."""
    parameters: list[int] = []
    """The layer's own parameters."""


class Outcome(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """How the run ended. Every status has all steps up to the end."""

    status: Literal["ok", "error", "limit"]
    """``ok``: ran to its end. ``error``: raised. ``limit``: a limit stopped it."""
    error: str | None = None
    """Exception class as the person would see it: ``RuntimeError``, ``SyntaxError``."""
    message: str = ""
    """PyTorch's or Python's own message, or the limit that was hit."""
    limit: str | None = None
    """Which limit: ``steps``, ``output``, ``memory``, ``cpu``, ``wall``, ``size``; or how else the process ended:
    ``system_call``, ``crash``, ``exit``, ``fault``, ``forged``."""
    span: Span | None = None
    """The guilty columns."""
    advice: str = ""
    """What to do, in words."""
    refused: Refused | None = None
    """The call of PyTorch's that raised, where it was one."""


class Choice(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One answer of a question."""

    text: str
    """The answer."""
    right: bool
    """Whether it is the right one; exactly one is."""
    why: str
    """Why it is right or wrong, said after choosing."""
    step: int | None = None
    """The step that proves or refutes it."""


class Question(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A quick check generated from this trace."""

    kind: str
    """Which generator made it: ``arriving_gradient``, ``accumulated``, ``next_node``, …"""
    prompt: str
    """The question, in words."""
    choices: list[Choice]
    """The answers to choose from."""
    step: int
    """Ask it before this step is shown."""


class Reason(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The answer to "why?" about one tensor, or about the error that ended the run, over a range of steps."""

    tensor: int | None
    """Whom the question is about; None for an error that is about no tensor."""
    about: Literal["grad", "grad_fn", "value", "error"]
    """Which of its attributes is asked about."""
    cause: str
    """The class of cause: ``not_a_leaf``, ``detach``, ``backward_not_called``, …"""
    first: int
    """From this step on …"""
    last: int
    """… to this step (inclusive) the answer holds."""
    text: str
    """The answer, in words."""
    span: Span | None = None
    """The guilty columns."""
    fix: str = ""
    """The change in code that mends it."""
    step: int | None = None
    """The step at which it happened."""
    warns: bool = False
    """True when it should be said unasked."""


Part = Literal["labels", "reasons", "warnings", "narration", "chapters", "questions"]
"""What the readers of a finished trace say."""


class Unsaid(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """Something that a reader of the finished trace failed to say: a fault of Backplay's, which costs that part only."""

    part: Part
    """Which reader failed."""
    about: str = ""
    """Whom or what it was about to tell of: a tensor's label, the kind of question."""
    step: int | None = None
    """The step whose words are missing."""
    error: str = ""
    """The exception's class and where it was raised: ``KeyError in narration/nodes.py, line 53``."""


class Trace(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """Everything about one run."""

    code: str
    """The snippet, exactly as it was sent."""
    outcome: Outcome
    """How the run ended."""
    stdout: str
    """All that the snippet printed; the ``printed`` steps say when."""
    scopes: list[Scope]
    """Places that enclose steps; scope 0 is the program."""
    chapters: list[Chapter]
    """The steps in consecutive runs that belong together."""
    nodes: list[Node]
    """The backward graph's nodes, in the order they were made."""
    tensors: list[Tensor]
    """Every tensor the trace speaks of, in the order they came to be."""
    steps: list[Step]
    """What happened, one event each, in order."""
    questions: list[Question] = []
    """Quick checks made from this run."""
    reasons: list[Reason] = []
    """Answers to "why?" about tensors."""
    unsaid: list[Unsaid] = []
    """What is missing from the words; empty unless Backplay has a fault."""
    folded: int = 0
    """At least how many steps were left out because the step budget was spent (the run itself went on)."""
    torch: str = "2.13.0"
    """The PyTorch release whose behaviour is played."""
    schema: int = SCHEMA
    """Version of this document's shape."""
