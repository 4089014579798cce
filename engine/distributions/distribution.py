"""``torch.distributions.Distribution``: what all distributions share.

A distribution has a batch of independent copies (``batch_shape``) of something whose one value has ``event_shape``.
Subclasses name their parameters in ``arg_constraints`` and set them before `_begin`; what else has the batch's shape, tensors
and inner distributions, they name in ``_batched``.
"""

from __future__ import annotations

import copy
import warnings
from typing import Any, ClassVar

import numpy as np

from engine.autograd.modes import no_grad
from engine.distributions.constraint import Constraint
from engine.distributions.dependent import is_dependent
from engine.distributions.parameters import broadcast_all
from engine.ops.factories.filled import full
from engine.size import Size
from engine.tensor import Tensor


class Distribution:
    """Base class: shapes, validation, ``expand``, repr."""

    arg_constraints: Any = {}
    support: Any = None
    has_rsample: ClassVar[bool] = False
    has_enumerate_support: ClassVar[bool] = False
    _batched: ClassVar[tuple[str, ...]] = ()
    _validate_args: bool = True

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        """What a program's own subclass calls; ours call `_begin`."""
        self._begin(batch_shape, event_shape, validate_args)

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether parameters and values are checked unless a distribution says otherwise.

        Raises:
            ValueError: no bool.
        """
        if not isinstance(value, bool):
            raise ValueError(f"value must be True or False, not {value!r}")
        Distribution._validate_args = value

    def _begin(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        """Notes the shapes and checks the parameters.

        Raises:
            ValueError: a parameter breaks its constraint.
        """
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, constraint in self.arg_constraints.items():
                is_property = isinstance(getattr(type(self), name, None), property)
                # of a parameter's several forms (probs or logits, …) only the given one: asking for a `Lazy` one computes it
                value = getattr(self, name) if is_property else self.__dict__.get(name)
                if value is not None and not is_dependent(constraint) and not constraint._holds(value).all():
                    raise ValueError(
                        f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                        f"distribution {self!r} to satisfy the constraint {constraint!r}, "
                        f"but found invalid values:\n{value}"
                    )

    def _begin_with(self, validate_args: bool | None, **parameters: Any) -> None:
        """`_begin` for numbers and tensors that broadcast against each other, to the batch shape."""
        for name, value in zip(parameters, broadcast_all(*parameters.values()), strict=True):
            setattr(self, name, value)
        first = self.__dict__[next(iter(parameters))]
        self._begin(first.shape, (), validate_args)

    @property
    def batch_shape(self) -> Size:
        """Shape of the independent copies."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """Shape of one value."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The likeliest value.

        Raises:
            NotImplementedError: the subclass does not say.
        """
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Values of shape sample_shape + batch_shape + event_shape; no gradient flows through them."""
        with no_grad():
            return self.rsample(sample_shape)

    def sample_n(self, n: int) -> Tensor:
        """``n`` values: the older spelling of ``sample((n,))``."""
        warnings.warn("sample_n will be deprecated. Use .sample((n,)) instead", UserWarning, stacklevel=2)
        return self.sample(Size((n,)))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Values computed from the parameters and parameter-free noise, so that gradients flow to the parameters."""
        raise NotImplementedError

    def log_prob(self, value: Tensor) -> Tensor:
        """Logarithm of the density or probability at ``value``."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """Probability of a value not above ``value``."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of ``cdf``."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """Expected −log_prob."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """e to the entropy."""
        return self.entropy().exp()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Every possible value, along a new first dimension."""
        raise NotImplementedError

    def _enumerated(self, values: Tensor, expand: bool) -> Tensor:
        values = values.view(-1, *(1 for _ in self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution with its batch dimensions expanded."""
        twin = copy.copy(self)
        batch = Size(batch_shape)
        for name in {*self.arg_constraints, *self._batched} & self.__dict__.keys():
            value = self.__dict__[name]
            event = () if isinstance(value, Distribution) else value.shape[len(self._batch_shape) :]
            twin.__dict__[name] = value.expand(batch + event)
        twin._batch_shape = batch
        return twin

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """A bare twin for a program's own ``expand`` to fill.

        Raises:
            NotImplementedError: a subclass with parameters of its own has no ``expand`` of its own.
        """
        if _instance is None and type(self).__init__ is not cls.__init__:  # type: ignore[misc]  # compared only
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also define a "
                "custom .expand() method."
            )
        return object.__new__(type(self)) if _instance is None else _instance

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size(tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape))

    def _everywhere(self, value: float, like: Tensor) -> Tensor:
        """A moment that is the same for all parameters."""
        return full(self._extended_shape(), value, dtype=like.dtype)

    def _validate_sample(self, value: Any) -> None:
        """Checks a value's shape and support, unless checks are off.

        Raises:
            ValueError: it does not fit.
        """
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, expected = value.shape, self._batch_shape + self._event_shape
        if shape[len(shape) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        if any(1 not in (i, j) and i != j for i, j in zip(reversed(shape), reversed(expected), strict=False)):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        support: Constraint | None = self.support
        if support is not None and not np.all(support._holds(value)):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        shown = ((name, self.__dict__[name]) for name in self.arg_constraints if name in self.__dict__)
        body = ", ".join(f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in shown)
        return f"{type(self).__name__}({body})"
