"""``torch.library.custom_op``: an operator of the program's own, whose inside is a black box to autograd.

Its function runs without recording; what it sends back is what `CustomOpDef.register_autograd` was given, through a
``torch.autograd.Function``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from engine.autograd.function import Function, FunctionMeta
from engine.autograd.graph import increment_version
from engine.autograd.modes import no_grad
from engine.autograd.modes import state as modes
from engine.ops.core.geometry import storage_of
from engine.transforms.custom_casts import Uncastable, cast, declared_kinds, in_words
from engine.transforms.custom_schema import as_printed, infer_schema, tensors_in

defined: dict[str, CustomOpDef] = {}
"""By ``namespace::name``; a later definition replaces an earlier one."""


class CustomOpDef:
    """What `custom_op` makes of a function: called as the function is."""

    __module__ = "torch._library.custom_ops"

    def __init__(self, namespace: str, name: str, schema: str, function: Callable[..., Any], mutates_args: Any) -> None:
        self._namespace, self._name, self._qualname = namespace, name, f"{namespace}::{name}"
        self._schema, self._init_fn = as_printed(f"{self._qualname}{schema}"), function
        self._parameters = inspect.signature(function).parameters
        self._kinds = declared_kinds(self._schema)
        self._written = tuple(
            p for p in self._parameters if p in ([mutates_args] if isinstance(mutates_args, str) else mutates_args)
        )
        self._kernel: Callable[..., Any] = function
        self._fake: Callable[..., Any] | None = None
        self._backward: Callable[..., Any] | None = None
        self._setup_context: Callable[..., Any] | None = None
        self._function = recorded_function(self)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def register_kernel(self, device_types: Any, fn: Any = None, /) -> Any:
        """Takes another function for the devices of these types; those that are not here have none."""
        if fn is None:
            return lambda given: self.register_kernel(device_types, given)
        kinds = [device_types] if isinstance(device_types, str) else device_types
        if kinds is None or "cpu" in kinds:
            self._kernel = fn
        return fn

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """The function that tells the result's form for tensors on the meta device."""
        self._fake = fn
        return fn

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Any = None) -> None:
        """``backward(ctx, *grads)`` gives a gradient for each argument; ``setup_context(ctx, inputs, output)`` saves for it.

        Raises:
            RuntimeError: the operator writes to its arguments.
        """
        if self._written:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self!r} with schema {self._schema}. "
                "Please create a functional operator and register an autograd formula for that."
            )
        self._backward, self._setup_context = backward, setup_context

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's result, which gets a gradient if one of the arguments wants one."""
        values = self._bound(args, kwargs)
        tensors = tensors_in(values)
        if any(tensor.is_meta for tensor in tensors):
            return self._formed(values)
        if modes.grad_enabled and not self._written and any(tensor.requires_grad for tensor in tensors):
            return self._function.apply(*values)
        with no_grad():
            return self._run(values)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """A value for every parameter, in order.

        Raises:
            RuntimeError: too many or too few arguments, or one of a type that is not declared.
        """
        parameters = self._parameters
        if len(args) > len(parameters):
            raise RuntimeError(
                f"{self._qualname}() expected at most {len(parameters)} argument(s) but received {len(args)} argument(s). "
                f"Declaration: {self._schema}"
            )
        given = dict(zip(parameters, args, strict=False)) | kwargs
        values = []
        for place, (name, parameter) in enumerate(parameters.items()):
            if name not in given and parameter.default is parameter.empty:
                raise RuntimeError(
                    f"{self._qualname}() is missing value for argument '{name}'. Declaration: {self._schema}"
                )
            value = given.pop(name, parameter.default)
            try:
                value = cast(self._kinds.get(name, ""), value)
            except Uncastable as detail:
                raise RuntimeError(
                    f"{self._qualname}() Expected a value of type '{in_words(self._kinds[name])}' for argument '{name}' but "
                    f"instead found type '{type(value).__name__}'.\nPosition: {place}\nValue: {value!r}\n"
                    f"Declaration: {self._schema}\nCast error details: {detail}"
                ) from None
            values.append(value)
        if given:
            raise RuntimeError(
                f"Unknown keyword argument '{next(iter(given))}' for operator '{self._qualname}'. Schema: {self._schema}"
            )
        return values

    def _run(self, values: Any) -> Any:
        """The kernel's result.

        Raises:
            RuntimeError: an argument comes back as a result.
        """
        result = self._called(self._kernel, values)
        owners = {id(storage_of(tensor)) for tensor in tensors_in(values)}
        for tensor in tensors_in([result]):
            if id(storage_of(tensor)) in owners:
                raise RuntimeError(
                    f"{self._name} (with implementation in {self._kernel.__module__}): The output of this custom operator "
                    "(1) must not also be an input to this custom operator and (2) may not alias any inputs to this custom operator "
                    "or other returns. Give back a clone() of it."
                )
        for name, value in zip(self._parameters, values, strict=True):
            if name in self._written:
                for tensor in tensors_in([value]):
                    increment_version(tensor)
        return result

    def _formed(self, values: list[Any]) -> Any:
        """The fake function's result.

        Raises:
            RuntimeError: there is none.
        """
        if self._fake is None:
            raise RuntimeError(
                f"There was no fake impl registered for {self!r}. This is necessary for torch.compile/export/fx tracing to work. "
                f"Please use `{self._init_fn.__name__}.register_fake` to add an fake impl."
            )
        return self._called(self._fake, values)

    def _called(self, function: Callable[..., Any], values: Any) -> Any:
        named = dict(zip(self._parameters, values, strict=True))
        by_name = {n: named.pop(n) for n, p in self._parameters.items() if p.kind is p.KEYWORD_ONLY}
        return function(*named.values(), **by_name)


def recorded_function(operator: CustomOpDef) -> Any:
    """The ``autograd.Function`` that stands for the operator in the graph."""

    def forward(*values: Any) -> Any:
        return operator._run(values)

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        if operator._setup_context is None:
            return
        by_name = {
            n: v for (n, p), v in zip(operator._parameters.items(), inputs, strict=True) if p.kind is p.KEYWORD_ONLY
        }
        if by_name:
            operator._setup_context(
                ctx=ctx, inputs=inputs[: len(inputs) - len(by_name)], keyword_only_inputs=by_name, output=output
            )
        else:
            operator._setup_context(ctx=ctx, inputs=inputs, output=output)

    def backward(ctx: Any, *grads: Any) -> Any:
        if operator._backward is None:
            raise RuntimeError(
                f"Trying to backward through {operator._namespace}.{operator._name}.default but no autograd formula was registered. "
                "Please use register_autograd to add one."
            )
        return operator._backward(ctx, *grads)

    name = f"GeneratedBackwardFor_{operator._namespace}_{operator._name}_default"
    methods = {"forward": forward, "setup_context": setup_context, "backward": backward}
    return FunctionMeta(name, (Function,), {key: staticmethod(each) for key, each in methods.items()})


def custom_op(
    name: str,
    fn: Any = None,
    /,
    *,
    mutates_args: Any,
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Makes an operator ``namespace::name`` of a function with annotations; a decorator without ``fn``.

    Raises:
        ValueError: no namespace, or annotations that are no declaration.
    """

    def made(function: Callable[..., Any]) -> CustomOpDef:
        declared = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        namespace, separator, own = name.partition("::")
        if not separator:
            raise ValueError(
                f"Expected `name` to be of the form `namespace::name`, got {name!r}: the namespace keeps operators of different "
                "programs apart."
            )
        defined[name] = CustomOpDef(namespace, own, declared, function, mutates_args)
        return defined[name]

    return made if fn is None else made(fn)


def operator_of(op: Any) -> CustomOpDef:
    """The operator itself, or of that name.

    Raises:
        ValueError: there is none.
    """
    name = str(getattr(op, "_qualname", op))
    if name not in defined:
        raise ValueError(f"Unknown operator {name}. Custom operators are made with torch.library.custom_op.")
    return defined[name]


def register_autograd(op: Any, backward: Callable[..., Any], /, *, setup_context: Any = None, lib: Any = None) -> None:
    """`CustomOpDef.register_autograd` of an operator given by name."""
    operator_of(op).register_autograd(backward, setup_context=setup_context)


def register_fake(op: Any, func: Any = None, /, *, lib: Any = None, allow_override: bool = False) -> Any:
    """`CustomOpDef.register_fake` of an operator given by name; a decorator without ``func``."""
    return operator_of(op).register_fake if func is None else operator_of(op).register_fake(func)


def register_kernel(op: Any, device_types: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """`CustomOpDef.register_kernel` of an operator given by name; a decorator without ``func``."""
    return operator_of(op).register_kernel(device_types, func)
