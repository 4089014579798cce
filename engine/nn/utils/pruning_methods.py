"""The ways of choosing what to prune, each a class of ``torch.nn.utils.prune``."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any

from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


class BasePruningMethod:
    """One way of choosing what to prune; an instance is the hook that masks one tensor of one module."""

    _tensor_name: str
    PRUNING_TYPE: str
    """``unstructured``, ``structured`` or ``global``: what a method that comes after others still looks at."""

    def __call__(self, module: Any, inputs: Any) -> None:
        """The hook before ``forward``."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask over ``t``, given what is masked already.

        Raises:
            NotImplementedError: a subclass says how.
        """
        raise NotImplementedError

    def apply_mask(self, module: Any) -> Tensor:
        """The pruned tensor.

        Raises:
            AssertionError: it has not been applied to a tensor.
        """
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, f"{self._tensor_name}_mask")
        original: Tensor = getattr(module, f"{self._tensor_name}_orig")
        pruned: Tensor = mask.to(dtype=original.dtype) * original
        return pruned

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any) -> Any:
        """Prunes one tensor of a module, on top of what is pruned already.

        Returns:
            The hook.

        Raises:
            AssertionError: scores of another shape than the tensor.
        """
        earlier = [
            (key, hook)
            for key, hook in module._forward_pre_hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        for key, hook in earlier:
            del module._forward_pre_hooks[key]
            container = hook if isinstance(hook, PruningContainer) else PruningContainer(hook)
            container.add_pruning_method(method)
            method = container
        tensor = getattr(module, name)
        scores = tensor if importance_scores is None else importance_scores
        if scores.shape != tensor.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter                 {name} of {module}"
            )
        if earlier:
            default_mask = getattr(module, f"{name}_mask").detach().clone()
        else:
            module.register_parameter(f"{name}_orig", tensor)
            del module._parameters[name]
            default_mask = TABLES["torch"]["ones_like"](tensor)
        try:
            module.register_buffer(f"{name}_mask", method.compute_mask(scores, default_mask=default_mask))
        except Exception:
            if not earlier:
                del module._parameters[f"{name}_orig"]
                module.register_parameter(name, tensor)
            raise
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A pruned copy of any tensor, without a module."""
        scores = t if importance_scores is None else importance_scores
        mask = TABLES["torch"]["ones_like"](t) if default_mask is None else default_mask
        pruned: Tensor = t * self.compute_mask(scores, default_mask=mask)
        return pruned

    def remove(self, module: Any) -> None:
        """Makes the pruned tensor the parameter again."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters[f"{name}_orig"]
        original.data = weight.data
        del module._parameters[f"{name}_orig"]
        del module._buffers[f"{name}_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods, one after the other, over the same tensor."""

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Takes one more method over the same tensor.

        Raises:
            ValueError: it prunes another tensor.
        """
        if method._tensor_name != self._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on "
                f"the parameter named '{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, place: int) -> BasePruningMethod:
        return self._pruning_methods[place]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The last method's mask, chosen among what the others left, and combined with theirs."""
        method = self._pruning_methods[-1]
        left = default_mask.to(dtype=t.dtype)
        mask = left.clone()
        if method.PRUNING_TYPE == "unstructured":
            part: Any = left == 1
        elif method.PRUNING_TYPE == "structured":
            dim = method.dim % t.ndim
            kept = left.sum(dim=[d for d in range(t.ndim) if d != dim]) != 0
            part = tuple(kept if d == dim else slice(None) for d in range(t.ndim))
        else:
            part = tuple(slice(None) for _ in range(t.ndim))
        mask[part] = method.compute_mask(t[part], default_mask=left[part])
        return mask


class Identity(BasePruningMethod):
    """Prunes nothing: the parameter is only named as if it were."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """What there was."""
        return default_mask


class CustomFromMask(BasePruningMethod):
    """A mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Both masks together.

        Raises:
            AssertionError: a mask of another shape.
        """
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        mask: Tensor = default_mask * self.mask.to(dtype=default_mask.dtype)
        return mask


class _Amount(BasePruningMethod):
    """A method that is told how much to prune: a number of units, or a share of them."""

    def __init__(self, amount: float) -> None:
        checked_amount(amount)
        self.amount = amount

    def _count(self, units: int) -> int:
        """How many of so many units go.

        Raises:
            ValueError: more than there are.
        """
        if isinstance(self.amount, numbers.Integral) and self.amount > units:
            raise ValueError(f"amount={self.amount} should be smaller than the number of parameters to prune={units}")
        return int(self.amount) if isinstance(self.amount, numbers.Integral) else round(self.amount * units)


class RandomUnstructured(_Amount):
    """Single numbers, at random."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Those with the largest random numbers go."""
        count, mask = self._count(t.nelement()), default_mask.clone()
        if count:
            mask.view(-1)[TABLES["torch"]["rand_like"](t).view(-1).topk(count)[1]] = 0
        return mask


class L1Unstructured(_Amount):
    """Single numbers, the smallest first."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Those with the smallest absolute value go."""
        count, mask = self._count(t.nelement()), default_mask.clone()
        if count:
            mask.view(-1)[t.abs().view(-1).topk(count, largest=False)[1]] = 0
        return mask


class _Structured(_Amount):
    """Whole channels along one dimension."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _channels(self, t: Tensor) -> int:
        """How many channels there are.

        Raises:
            ValueError: the tensor has no channels.
            IndexError: it has no such dimension.
        """
        if t.ndim <= 1:
            raise ValueError(
                "Structured pruning can only be applied to "
                f"multidimensional tensors. Found tensor of shape {t.shape} with {t.ndim} dims"
            )
        if not -t.ndim <= self.dim < t.ndim:
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        return t.shape[self.dim]

    def _kept(self, t: Tensor, channels: Any) -> Tensor:
        """A mask that is one in these channels."""
        mask: Tensor = TABLES["torch"]["zeros_like"](t)
        mask[tuple(channels if d == self.dim % t.ndim else slice(None) for d in range(t.ndim))] = 1
        return mask


class RandomStructured(_Structured):
    """Whole channels, at random."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Those with the smallest random numbers go."""
        channels = self._channels(t)
        count = self._count(channels)
        if not count:
            return default_mask
        drawn = TABLES["torch"]["rand"](channels)
        mask: Tensor = self._kept(t, drawn > drawn.kthvalue(count).values).to(dtype=default_mask.dtype) * default_mask
        return mask


class LnStructured(_Structured):
    """Whole channels, those with the smallest Lₙ norm first."""

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The channels with the largest norms stay."""
        channels = self._channels(t)
        count = self._count(channels)
        if not count:
            return default_mask
        norms = TABLES["torch"]["norm"](t, p=self.n, dim=[d for d in range(t.ndim) if d != self.dim % t.ndim])
        mask: Tensor = self._kept(t, norms.topk(channels - count).indices).to(dtype=default_mask.dtype) * default_mask
        return mask


for _way in (
    BasePruningMethod, PruningContainer, Identity, CustomFromMask, RandomUnstructured, L1Unstructured, RandomStructured,
    LnStructured,
):  # fmt: skip
    _way.__module__ = "torch.nn.utils.prune"


def checked_amount(amount: Any) -> None:
    """Refuses what is no amount.

    Raises:
        TypeError: it is no number.
        ValueError: it is negative, or a share above one.
    """
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if amount < 0 or (not whole and float(amount) > 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
