"""From derivatives to what a node must save: read off the lambdas' parameter names.

A derivative's parameters may be

``grad``
    the incoming gradient (for several outputs ``grads``, a list of them),
a parameter of the kernel (``other``, ``dim``)
    kept at the call; a tensor is guarded against later writes,
``result``, ``result1`` or the name of an output (``values``)
    the node's own output,
``self_sym_sizes``, ``self_sym_strides``, ``self_dim``
    shape, strides and number of dimensions of that argument, under PyTorch's name (``bias_sym_sizes_opt``: one that may be missing),
``self_shape``, ``self_dtype``, ``self_layout``, ``self_numel``, ``self_geometry``
    shape, dtype, layout, number of elements, or (shape, strides, storage offset) for our own use (not shown as ``_saved_…``),
``needs``
    which differentiable arguments need a gradient.

A tensor that only one derivative uses is kept only if that derivative will run, as PyTorch's generated code does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.autograd.node import node_type
from engine.ops.core.keepers import keeper, plan_of, strides_keeper, without_tensors
from engine.ops.core.on_arrays import on_arrays
from engine.ops.core.operator import Operator
from engine.ops.core.operator_node import OperatorNode, UnimplementedNode, bare_arithmetic, letting_go
from engine.ops.core.parameters import names_of
from engine.tensor import Tensor


def make_recording(operator: Operator) -> None:
    """Fills in what recording and backward need: the plan, the derivatives' runners and the node's class.

    Raises:
        TypeError: for a derivative parameter that means nothing.
    """
    functions = list(operator.sources.values())
    has_joint = "joint" in operator.sources
    names, users = asked_for(functions, operator.shown)
    # PyTorch packs arguments by name, then results.
    names.sort(key=lambda name: (name not in operator.signature.index, name))
    only_one = len(functions) > 1 and not has_joint and "joint" not in operator.recorded
    keepers = []
    for name in names:
        using = users.get(name, set())
        guard = next(iter(using)) if only_one and len(using) == 1 else None
        if name.endswith("_sym_strides") and not using:
            keepers.append(strides_keeper(operator, operator.signature.index[name.removesuffix("_sym_strides")]))
        else:
            keepers.append(keeper(operator, name, guard, name in operator_tensors(operator)))
    operator.plan, operator.without_tensors = plan_of(keepers), without_tensors(keepers)
    runners = tuple(runner(function, names, operator.holomorphic and not has_joint) for function in functions)
    operator.joint, operator.derivatives, operator.arithmetic = None, (), None
    if "joint" in operator.recorded:
        operator.recorded_joint = runner(operator.recorded["joint"], names, False)
    if has_joint:
        operator.joint, operator.spreads = runners[0], True
    else:
        operator.derivatives = runners
        operator.turns = turns_of(list(operator.sources))
        if operator.recorded_joint is None and operator.recorded:
            operator.recorded_derivatives = tuple(
                runner(operator.recorded.get(argument, function), names, operator.holomorphic)
                for argument, function in operator.sources.items()
            )
        given = [operator.bare.get(argument, function) for argument, function in operator.sources.items()]
        bare = [found for function in given if (found := on_arrays(function)) is not None]
        if len(bare) == len(functions):
            operator.arithmetic = arithmetic_runner(given, bare, names)
    known = operator.signature.index
    saved = [name if (name in known and not name.startswith("_")) or is_shown(name) else f"_{name}" for name in names]
    methods: dict[str, Any] = {"release": letting_go(operator)}
    if operator.arithmetic is not None:
        methods["apply_bare"] = bare_arithmetic(operator)
    elif operator.derives_in_float:
        methods["apply_bare"] = OperatorNode.apply_wide
    base = UnimplementedNode if operator.class_name == "NotImplemented" else OperatorNode
    operator.node_type = node_type(operator.class_name, saved, base, operator=operator, **methods)


def turns_of(arguments: list[str]) -> tuple[int, ...]:
    """In which order PyTorch computes the derivatives, by place: its generated code goes by name. Empty where that is their order."""
    turns = tuple(sorted(range(len(arguments)), key=arguments.__getitem__))
    return () if turns == tuple(range(len(arguments))) else turns


def asked_for(functions: Sequence[Callable[..., Any]], shown: Sequence[str]) -> tuple[list[str], dict[str, set[int]]]:
    """The names to keep, those for show first, and which of the derivatives use each."""
    users: dict[str, set[int]] = {}
    for number, function in enumerate(functions):
        for parameter in names_of(function):
            if parameter not in ("grad", "grads", "needs"):
                users.setdefault(parameter, set()).add(number)
    return list(dict.fromkeys((*shown, *users))), users


def arithmetic_runner(
    functions: list[Callable[..., Any]], bare: list[Callable[..., Any]], names: list[str]
) -> Callable[..., Any]:
    """``(gradient, values, edges) -> gradients``: every derivative that an edge asks for, without a call in between.

    ``bare`` are the same derivatives, or their slopes, on arrays.
    """
    parts = [
        f"None if edges[{n}][0] is None else {call_text(f'f{n}', function, names)}"
        for n, function in enumerate(functions)
    ]
    made: Callable[..., Any] = eval(  # names come from our own declarations only
        f"lambda {', '.join(f'f{n}' for n in range(len(parts)))}: lambda gradient, values, edges: [{', '.join(parts)}]"
    )(*bare)
    return made


def call_text(called: str, function: Callable[..., Any], names: list[str]) -> str:
    """The text of a call, its arguments taken out of ``gradient`` and ``values``; a slope is multiplied here and now."""
    lookups = {"grad": "gradient", "grads": "gradient", "needs": "[edge[0] is not None for edge in node.edges]"}
    slope = getattr(function, "slope", None)
    arguments = ", ".join(lookups.get(p) or f"values[{names.index(p)}]" for p in names_of(slope or function))
    return f"{called}({arguments})" if slope is None else f"gradient * {called}({arguments})"


def operator_tensors(operator: Operator) -> tuple[str, ...]:
    """Names of parameters that a number may stand for but that PyTorch keeps as tensors."""
    return tuple(operator.signature.names[p] for p in operator.differentiable)


def is_shown(name: str) -> bool:
    """Whether PyTorch would expose it as ``_saved_<name>``."""
    hidden = name.startswith("_") or name.endswith(("_shape", "_dtype", "_geometry", "_layout", "_numel"))
    return not hidden or name.endswith("_sym_numel")


def runner(
    function: Callable[..., Any], names: list[str], holomorphic: bool
) -> Callable[[Any, list[Any], OperatorNode], Any]:
    """``(gradient, values, node) -> function(…)`` with the look-ups resolved, at the speed of a plain call.

    A holomorphic derivative is linear in the gradient and written without conjugates; PyTorch's gradient of a complex
    result is then ``function(gradient, conj(…))``, or ``gradient · conj(slope(…))``, which is also where it gets the signs of
    zeros from.
    """
    slope = getattr(function, "slope", None)
    body = call_text("function", function, names)
    if holomorphic and "grad" in names_of(function):
        # What a slope finds on a branch cut is not the conjugate of what it finds at the conjugate.
        of_complex = call_text("of_complex", function, names)
        if slope is None:
            conjugates = of_complex.replace("values[", "conjugates[")
            of_complex = f"(lambda conjugates: {conjugates})([conjugated(value) for value in values])"
        body = f"{body} if node.dtypes[0].kind != 'c' else {of_complex}"
    made: Callable[[Any, list[Any], OperatorNode], Any] = eval(  # names come from our own declarations only
        f"lambda function, of_complex, conjugated: lambda gradient, values, node: {body}"
    )(slope or function, function if slope is None else lambda *saved: conjugated(slope(*saved)), conjugated)
    return made


def conjugated(value: Any) -> Any:
    """A saved value, or a list of them, conjugated where it is complex; anything else as it is."""
    if type(value) in (list, tuple):
        return type(value)(conjugated(part) for part in value)
    if isinstance(value, complex):
        return value.conjugate()
    return value._conjugated() if isinstance(value, Tensor) and value._array.dtype.kind == "c" else value
