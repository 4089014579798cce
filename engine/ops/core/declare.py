"""How an operator is declared: everything about it in one decorated function.

The function is the forward on numpy arrays; its docstring is the explanation people read; ``formula=`` is what is drawn;
each keyword lambda is the derivative for the argument of that name, and the lambda's parameters are what the node saves
(`engine.ops.core.plan` lists what they may be). The function's name gives the ``grad_fn`` name.

>>> import numpy as np
>>> from engine.ops.core.declare import pointwise
>>> @pointwise(formula="x³", slope=lambda self: 3 * self * self, at="")
... def cube(self):
...     '''Multiplies a number by itself twice.'''
...     return self * self * self
>>> from engine import torch
>>> x = torch.tensor(2.0, requires_grad=True)
>>> y = cube(x)
>>> y.grad_fn.name(), y.grad_fn._saved_self.item()
('CubeBackward0', 2.0)
>>> y.backward()
>>> x.grad
tensor(12.)

A kernel gets arrays or numpy scalars (0-d tensors are scalars where that is faster), and must not write into them.
Families differ in what is done around the kernel: `pointwise` promotes dtypes and has an in-place twin (``add_``),
`view` shares storage, `operator` does neither. `composite` is a plain function of other operators: it has no node of its
own, because PyTorch has none. What has no derivative is declared with no lambdas, and said so in the docstring.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.autograd.modes import state as modes
from engine.autograd.node import LAST
from engine.ops.core import catalogue
from engine.ops.core.arrangement import ORDERS
from engine.ops.core.functions import flexible, in_one_piece, picking, picking_in_place
from engine.ops.core.operator import Operator
from engine.ops.core.parameters import parameters_of
from engine.ops.core.plan import make_recording
from engine.ops.core.promotion import Promotion
from engine.ops.core.signature import Signature
from engine.ops.core.view_links import remembering
from engine.tensor import Tensor

Declared = Callable[[Callable[..., Any]], Operator]
Operator.make_recording = staticmethod(make_recording)


def operator(
    *,
    formula: str = "",
    name: str = "",
    grad_fn: str = "",
    at: str = "torch tensor",
    aliases: str = "",
    inplace: bool = False,
    promotes: tuple[str, ...] | str = (),
    to_float: bool = False,
    outputs: str = "",
    nondifferentiable: tuple[int, ...] = (),
    differentiable: str = "",
    joint: Callable[..., Any] | None = None,
    saves: str = "",
    undefined_gradients: bool = False,
    is_view: bool = False,
    is_window: bool = True,
    holomorphic: bool = False,
    sequential: bool = False,
    needs_tensors: str = "",
    renamed: dict[str, str] | None = None,
    order: str = "",
    family: str = "operator",
    **derivatives: Callable[..., Any],
) -> Declared:
    """Declares an operator.

    Args:
        formula: its mathematics in one line of text.
        name: PyTorch's name, where it is not the function's (``max_dim`` is spelled ``max``).
        grad_fn: the node's class name, where it is not the name in CamelCase with ``Backward0``.
        at: where it is spelled: words out of torch, tensor, functional, linalg, special, fft; empty for internal ones.
        aliases: other spellings, as words (``"multiply"``, or ``"special.expit"``).
        inplace: also declare ``<name>_``.
        promotes: parameters whose dtypes are brought together.
        to_float: integers become floats on the way.
        outputs: field names of a structured result, as words; a single ``tuple`` means an unnamed tuple.
        nondifferentiable: outputs that get no gradient (integer outputs never do).
        differentiable, joint: for one derivative that yields all gradients: the argument names as words, and the function.
        saves: names PyTorch exposes as ``_saved_…`` beyond what the derivatives ask for.
        undefined_gradients: derivatives get None for outputs without gradient, instead of zeros.
        is_view: results share storage with ``self``.
        is_window: strides and offset say where a view lies in what it looks at; not so if its elements are of another kind.
        holomorphic: for a complex result, the derivatives as written are those of complex analysis, so the engine
            conjugates around them (``grad * other`` means ``grad * other.conj()``).
        sequential: the kernel goes step by step through the first argument, so that its length is its price.
        needs_tensors: parameters for which no number may stand, as words (nor for ``self``, unless it is
            ``any``).
        renamed: further keyword spellings.
        order: in which order the elements of a new result lie, if not as the kernel leaves them: a key of
            `engine.ops.core.arrangement.ORDERS`.
        family: for the catalogue.
        derivatives: by argument name, in PyTorch's edge order.
    """

    def declare(kernel: Callable[..., Any]) -> Operator:
        spelled = name or kernel.__name__.rstrip("_")
        made = Operator(spelled, kernel, Signature(kernel, renamed))
        index = made.signature.index
        keys = tuple(differentiable.split()) if joint is not None else tuple(derivatives)
        made.differentiable = tuple(index[key] for key in keys)
        made.outputs = tuple(outputs.split())
        made.nondifferentiable = frozenset(nondifferentiable)
        made.is_view, made.undefined_gradients, made.holomorphic = is_view, undefined_gradients, holomorphic
        made.sequential = sequential
        if not is_window:
            made.link = remembering(made)
        if promotes or to_float:
            chosen = promotes.split() if isinstance(promotes, str) else promotes
            made.promotion = Promotion(tuple(index[p] for p in (chosen or ("self",))), to_float)
        made.tensors = tensor_positions(made.signature, bool(aliases) or at not in ("", "internal"), needs_tensors)
        made.has_number_overload = made.promotion is not None and len(made.promotion.positions) > len(made.tensors) > 0
        made.formula, made.family, made.order = formula, family, ORDERS[order]
        made.grad_fn = grad_fn
        made.sources = derivatives if joint is None else {"joint": joint}
        if grad_fn == "NotImplemented":
            made.record = unnumbered(made.record)
        made.shown = tuple(saves.split())
        catalogue.add(made, at, aliases, inplace)
        return made

    return declare


def tensor_positions(signature: Signature, public: bool, needs_tensors: str) -> tuple[int, ...]:
    """Where no number may stand: for what ``needs_tensors`` names, and for ``self`` of a public operator unless it says ``any``."""
    names = needs_tensors.split()
    if "any" in names:
        names.remove("any")
    elif public and signature.names[:1] == ("self",):
        names.insert(0, "self")
    return tuple(signature.index[name] for name in dict.fromkeys(names) if signature.gathers != signature.index[name])


def unnumbered(record: Callable[..., Any]) -> Callable[..., Any]:
    """Nodes of operators without a derivative are not counted: they run as soon as they are ready, and refuse."""

    def recorded(arguments: tuple[Any, ...], results: list[Tensor]) -> Any:
        number = modes.sequence_nr
        node = record(arguments, results)
        if node is not None:
            node.sequence_nr, modes.sequence_nr = LAST, number
        return node

    return recorded


def pointwise(
    *,
    formula: str = "",
    slope: Callable[..., Any] | None = None,
    at: str = "torch tensor",
    inplace: bool = True,
    promotes: tuple[str, ...] | str = (),
    holomorphic: bool = True,
    **rest: Any,
) -> Declared:
    """Declares an elementwise operator.

    A function of one number states its local ``slope``, and the chain rule is ours to add; one of several states a
    derivative per argument. Arguments with a derivative are promoted to a common dtype. Functions that are not
    holomorphic (``abs``) say so, unless they take real numbers only.
    """

    def declare(kernel: Callable[..., Any]) -> Operator:
        rest["holomorphic"] = holomorphic
        if slope is not None:
            rest["self"] = chained(slope)
        promoted = promotes or tuple(k for k in parameters_of(kernel).names if k in ("self", "other"))
        rest.setdefault("order", "elementwise")
        return operator(formula=formula, at=at, inplace=inplace, promotes=promoted, family="pointwise", **rest)(kernel)

    return declare


def view(**rest: Any) -> Declared:
    """Declares an operator whose result shares storage with ``self``."""
    return operator(is_view=True, family="view", **rest)


def composite(
    *, at: str = "torch tensor", aliases: str = "", name: str = "", explanation: str = "", parsed: bool | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function made of other operators, under the same spellings and with PyTorch's keyword freedoms.

    One that is declared several times, for one, two and three dimensions, takes its ``name`` and ``explanation`` from here.
    ``parsed`` tells whether PyTorch's argument parser has the word when a call fails; by default not for what stands in
    ``torch.nn.functional`` alone, most of which is Python there.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        spelled = name or function.__name__
        if explanation:
            function.__doc__ = explanation
        function.__name__ = function.__qualname__ = spelled  # Python's errors about arguments say it
        called = flexible(function, at != "functional" if parsed is None else parsed)
        if at == "torch tensor" and parameters_of(function).names[0] == "self" and parameters_of(function).gathers == 1:
            catalogue.add_function(spelled, called, "tensor", aliases)
            catalogue.add_function(spelled, in_one_piece(called), "torch", aliases)
        else:
            catalogue.add_function(spelled, called, at, aliases)
        return function

    return declare


def overloaded(
    *,
    at: str = "torch tensor",
    aliases: str = "",
    name: str = "",
    inplace: bool = False,
    renamed: dict[str, str] | None = None,
    needs_tensors: str = "first",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function that picks one of several operators: it returns that operator and its arguments in order.

    With ``inplace`` the ``_`` twin picks in the same way. ``needs_tensors`` tells where no number may stand: in place of the
    first, all the named ones, or ``any``: one of the first two must be a tensor.
    """

    def declare(choose: Callable[..., Any]) -> Callable[..., Any]:
        spelled = name or choose.__name__.rstrip("_")
        signature = Signature(choose, renamed)
        call = picking(choose, spelled, signature, needs_tensors)
        catalogue.add_function(spelled, call, at, aliases)
        if inplace:
            twin = picking_in_place(choose, f"{spelled}_", signature)
            short = " ".join(f"{alias}_" for alias in aliases.split() if "." not in alias)
            catalogue.add_function(twin.__name__, twin, at, short)
        return call

    return declare


def chained(slope: Callable[..., Any]) -> Callable[..., Any]:
    """``grad · slope(…)``: the derivative that a local slope stands for, which can be told by its ``slope``."""

    def derivative(grad: Any, *saved: Any) -> Any:
        return grad * slope(*saved)

    derivative.slope = slope
    return derivative
