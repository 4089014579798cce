"""``torch.autocast`` on the CPU: which operators cast their floating-point arguments, and to what.

PyTorch casts on the way into an operator, and so do we: a casting operator looks at the mode first, converts its arguments (each
conversion is a ``ToCopyBackward0`` of its own), and then runs as ever. float64 is never touched. Copies of leaves are kept until
the outermost block ends, so that a weight used twice is converted once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.ops.core.catalogue import OPERATORS, TABLES, publish
from engine.ops.core.methods import BUILT_IN, shown_as
from engine.ops.core.operator import Operator
from engine.tensor import Tensor

LOWER = frozenset("mm bmm addmm baddbmm addbmm convolution _prelu_kernel".split())
"""Cast to the mode's dtype: products, where half the bits cost little exactness. (Composed functions say so with
`lower_precision`.)"""

FULL = frozenset(
    "avg_pool3d_windows binary_cross_entropy grid_sampler_2d grid_sampler_3d polar prod _cdist_forward trace "
    "view_as_complex cholesky cholesky_inverse cholesky_solve lu_solve householder_product ormqr linalg_pinv max_pool3d_pick "
    "max_unpool2d max_unpool3d adaptive_avg_pool3d reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d "
    "replication_pad3d mse_loss nll_loss_forward nll_loss2d_forward smooth_l1_loss huber_loss soft_margin_loss multi_margin_loss "
    "multilabel_margin_loss binary_cross_entropy_with_logits _ctc_loss linalg_inv_ex _linalg_svd _linalg_eigh linalg_eig "
    "linalg_eigvals _linalg_slogdet _linalg_solve_ex linalg_qr linalg_lu linalg_lu_factor_ex linalg_lstsq "
    "linalg_cholesky_ex matrix_exp cross _fft_r2c _fft_c2r _fft_c2c".split()
)
"""Cast to float32: losses, decompositions and whatever loses too much otherwise."""


WIDEST = frozenset("cat stack index_copy".split())
"""Cast to the widest of their tensors' dtypes, as far as those are eligible: they bring tensors together and lose nothing."""


class AutocastState:
    """What holds now, besides `modes.autocast`.

    Attributes:
        depth: how many blocks we are in.
        dtype: to what the lower-precision operators cast.
        caching: whether copies of leaves are kept.
        copies: those, by the leaf's identity; the leaf is kept beside its copy, so that the identity stays its own.
    """

    __slots__ = ("caching", "copies", "depth", "dtype")

    def __init__(self) -> None:
        self.depth = 0
        self.dtype = dtypes.bfloat16
        self.caching = True
        self.copies: dict[int, tuple[Tensor, Tensor]] = {}


state = AutocastState()


def switch(enabled: bool) -> None:
    """Whether operators cast from now on."""
    modes.autocast = enabled
    modes.refresh()


def cast(value: Any, target: dtypes.dtype) -> Any:
    """A float32, float16 or bfloat16 tensor (or a list of such) in the target dtype; anything else as it is."""
    if isinstance(value, list | tuple):
        return type(value)([cast(v, target) for v in value]) if any(isinstance(v, Tensor) for v in value) else value
    if not isinstance(value, Tensor):
        return value
    own = value.dtype
    if own is target or not own.is_floating_point or own is dtypes.float64:
        return value
    keep = state.caching and own is dtypes.float32 and value.requires_grad and value.is_leaf and modes.grad_enabled
    if not keep:
        return value.to(target)
    held = state.copies.get(id(value))
    if held is None or held[1].dtype is not target:
        held = state.copies[id(value)] = (value, value.to(target))
    return held[1]


@shown_as(BUILT_IN)
class LowerPrecision(Operator):
    """An operator that casts to the mode's dtype."""

    def run(self, arguments: tuple[Any, ...]) -> Any:
        """Runs on cast arguments while the mode is on."""
        return super().run(tuple([cast(a, state.dtype) for a in arguments]) if modes.autocast else arguments)


@shown_as(BUILT_IN)
class FullPrecision(Operator):
    """An operator that casts to float32."""

    def run(self, arguments: tuple[Any, ...]) -> Any:
        """Runs on cast arguments while the mode is on."""
        return super().run(tuple([cast(a, dtypes.float32) for a in arguments]) if modes.autocast else arguments)


@shown_as(BUILT_IN)
class WidestPrecision(Operator):
    """An operator that casts to the widest dtype among its tensors."""

    def run(self, arguments: tuple[Any, ...]) -> Any:
        """Runs on cast arguments while the mode is on.

        Raises:
            RuntimeError: a half type that is not the mode's.
        """
        if not modes.autocast:
            return super().run(arguments)
        given = [t for a in arguments for t in (a if isinstance(a, list | tuple) else (a,)) if isinstance(t, Tensor)]
        kinds = {t.dtype for t in given} & {dtypes.float16, dtypes.bfloat16, dtypes.float32}
        if kinds - {state.dtype, dtypes.float32}:
            raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
        widest = dtypes.float32 if dtypes.float32 in kinds else state.dtype
        return super().run(tuple([cast(a, widest) for a in arguments]))


COMPOSED = frozenset(
    "cross_entropy l1_loss margin_ranking_loss hinge_embedding_loss triplet_margin_loss poisson_nll_loss cosine_embedding_loss "
    "gaussian_nll_loss kl_div quantile nanquantile".split()
)
"""Functions without a node of their own that cast to float32 before they compose."""


def lower_precision(function: Callable[..., Any]) -> Callable[..., Any]:
    """A composed function that casts to the mode's dtype before it composes."""
    return casting(function, lambda: state.dtype)


def full_precision(function: Callable[..., Any]) -> Callable[..., Any]:
    """A composed function that casts to float32 before it composes."""
    return casting(function, lambda: dtypes.float32)


def casting(function: Callable[..., Any], target: Callable[[], dtypes.dtype]) -> Callable[..., Any]:
    """A function whose arguments are cast while the mode is on; ``target`` tells to which dtype."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if modes.autocast:
            dtype = target()
            args = tuple([cast(a, dtype) for a in args])
            kwargs = {name: cast(value, dtype) for name, value in kwargs.items()}
        return function(*args, **kwargs)

    return call


def declare_casting() -> None:
    """Makes the listed operators cast, of those that are declared."""
    for operator in OPERATORS:
        if operator.name in LOWER:
            operator.__class__ = LowerPrecision
        elif operator.name in FULL:
            operator.__class__ = FullPrecision
        elif operator.name in WIDEST:
            operator.__class__ = WidestPrecision


def declare_composed_casting() -> None:
    """Makes the listed functions cast; called once all are declared."""
    for name in COMPOSED:
        for place in ("torch", "functional", "tensor"):
            if name in TABLES[place]:
                publish(place, name, full_precision(TABLES[place][name]))
