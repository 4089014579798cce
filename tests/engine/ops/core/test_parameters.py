"""Parameters are read off code objects as `inspect` reads them, and kernels and derivatives are called by position."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import pytest

from engine import torch  # noqa: F401 (declares everything)
from engine.ops.core.catalogue import OPERATORS, complete, operators
from engine.ops.core.declare import chained, operator
from engine.ops.core.parameters import MISSING, Parameters, flat, names_of


def plain(self: Any, dim: int = 0) -> None: ...
def gathering(self: Any, *size: int, dtype: Any = None) -> None: ...
def named(self: Any, other: Any, *, alpha: float = 1, out: Any) -> None: ...


@functools.wraps(named)
def wrapper(*args: Any, **kwargs: Any) -> None: ...


@pytest.mark.parametrize("function", [plain, gathering, named, wrapper, lambda grad, self: grad])
def test_parameters_are_those_that_inspect_finds(function: Any) -> None:
    found, expected = Parameters(function), inspect.signature(function).parameters
    assert found.names == tuple(expected)
    assert found.defaults == tuple(MISSING if p.default is p.empty else p.default for p in expected.values())
    assert found.positional == sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in expected.values())
    assert [n for i, n in enumerate(found.names) if i == found.gathers] == [
        n for n, p in expected.items() if p.kind is p.VAR_POSITIONAL
    ]


def test_a_flat_kernel_takes_by_position_what_it_gathers_and_what_it_names() -> None:
    def kernel(self: Any, *size: int, dtype: Any = None) -> Any:
        return self, size, dtype

    assert flat(kernel)("x", (2, 3), "float") == ("x", (2, 3), "float")


def test_a_slope_becomes_the_derivative_that_takes_the_gradient_first() -> None:
    derivative = chained(lambda self: 3 * self)
    assert names_of(derivative) == ("grad", "self")
    assert derivative(2, 5) == 30


def test_every_operator_of_the_catalogue_can_be_completed() -> None:
    complete()
    assert all("node_type" in vars(each) for each in operators())


def test_a_derivative_that_asks_for_what_is_not_there_is_refused() -> None:
    @operator(at="", self=lambda grad, nothing: grad)
    def identity(self: Any) -> Any:
        """Leaves everything as it is."""
        return self

    try:
        with pytest.raises(TypeError, match="'nothing', which is neither a parameter nor an output"):
            _ = identity.plan
    finally:
        OPERATORS.remove(identity)
