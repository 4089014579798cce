"""Which dtype an ``out`` tensor may have, and what is said of another one.

Most operators cast within a category, or to a higher one. Some fill nothing but the very dtype of their result; each family of
kernels says so in words of its own. Sums compute in the dtype of the room they are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine import dtype as dtypes
from engine.dtype_names import C_TYPE, SCALAR_TYPE
from engine.tensor import Tensor

SAME = "Expected out tensor to have dtype {c_type}, but got {c_room} instead"
MET = "Found dtype {room} but expected {type}"
SCAN = "expected scalar_type {type} but found {room}"
SELECTED = "{name}(): self and result must have the same scalar type"
DOTTED = "result dtype {room} does not match input dtype {type}"
TENSORDOT = "tensordot: Expected the output tensor to have dtype {type}, but got an output tensor with dtype {room}"
MULTI_DOT = "multi_dot(): expected out tensor to have dtype {c_type} but got {c_room}"
MADE_COMPLEX = "Expected object of scalar type {type} but got scalar type {room} for argument 'out'"
SEARCHED = (
    "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether "
    "out_int32 flag is True, but we got output tensor's dtype {room} and out_int32 flag is False"
)
TRUTH = "{name} only supports bool tensor for result, got: {room}"
STRICT = {
    SAME: "addmm addmv argmax argmin avg_pool2d baddbmm bmm cross det diag eigvalsh gather index_add index_copy index_reduce inv "
    "isin linalg_inv linalg_vector_norm log_softmax matmul matrix_power mm msort mv renorm scatter scatter_add scatter_reduce "
    "softmax solve tril triu aminmax_out linalg_cholesky_ex_out linalg_eigh_out linalg_inv_ex_out linalg_ldl_factor_out "
    "linalg_lu_out linalg_lu_factor_out linalg_lu_factor_ex_out linalg_qr_out linalg_slogdet_out linalg_solve_ex_out "
    "linalg_svd_out lu_unpack_out max_out min_out qr_out slogdet_out sort_out svd_out topk_out triangular_solve_out",
    MET: "abs bitwise_not ceil clamp clamp_max clamp_min floor frac neg round sgn sign trunc",
    SCAN: "cummax_out cummin_out logcumsumexp",
    SELECTED: "index_select masked_select",
    DOTTED: "dot vdot",
    TENSORDOT: "inner tensordot",
    MULTI_DOT: "chain_matmul multi_dot",
    MADE_COMPLEX: "complex polar",
    SEARCHED: "bucketize searchsorted",
    TRUTH: "all any",
    "heaviside is not yet implemented for tensors with different dtypes.": "heaviside",
    "{name} does not support non-boolean outputs.": "isneginf isposinf signbit",
    "nan_to_num: dtype of out: {room} should be same as input: {type}": "nan_to_num",
    "nonzero: Expected out tensor to have scalar type {type} but got scalar type{room}": "nonzero",
    "quantile() out tensor must be same dtype as the input tensor": "nanquantile quantile",
    "Expected out type to be {type} but got {room}": "where",
    "take(): self and out expected to have the same dtype, but got self.dtype = {type} and out.dtype = {room}": "take",
    "Expected the dtype for input and out to match, but got {type} for input's dtype and {room} for out's dtype.": "amax amin",
    "linalg.{name} expected out tensor dtype {type} but got: {room}": "norm matrix_norm",
}
"""Operators whose out tensor must have the result's very dtype, by what they say otherwise. Those of several results stand here
under the name of what a call with ``out=`` gives (``torch.return_types.max_out``)."""
WORDS = {name: words for words, names in STRICT.items() for name in names.split()}
OF_EACH = {
    "kthvalue_out": ("output values must be of same type as input", "output indices must be of scalar type Long"),
    "mode_out": tuple(
        f"expected scalar type '{{type}}' but got '{{room}}' for {each} output" for each in ("values", "indices")
    ),
}
"""The same, where several results are spoken of differently."""
COMPUTING_IN_IT = frozenset("sum nansum mean prod cumsum cumprod".split())
"""Operators that cast their input to the dtype of the out tensor before they add or multiply."""


def in_dtype_of_room(name: str, result: Any, out: Any, operator: Any, arguments: Sequence[Any]) -> Any:
    """The result, computed again in the dtype of ``out`` if that is how the operator goes about it."""
    if name not in COMPUTING_IN_IT or out.dtype is result.dtype or not can_compute_in(name, out.dtype):
        return result
    place = operator.signature.names.index("dtype")
    return operator.run((*arguments[:place], out.dtype, *arguments[place + 1 :]))


def can_compute_in(name: str, room: dtypes.dtype) -> bool:
    """Whether the operator takes that dtype as its ``dtype=``."""
    return room.is_floating_point or room.is_complex or name not in ("mean", "nansum")


def check_dtypes(name: str, targets: Iterable[Tensor], sources: Iterable[Tensor]) -> None:
    """Refuses out tensors whose dtype cannot hold the results.

    Raises:
        RuntimeError: it cannot (TypeError for ``cat``).
    """
    for place, (target, source) in enumerate(zip(targets, sources, strict=True)):
        if source.dtype is not target.dtype:
            check_dtype(name, place, target.dtype, source.dtype)


def check_dtype(name: str, place: int, room: dtypes.dtype, kind: dtypes.dtype) -> None:
    """Refuses an out tensor of dtype ``room`` for a result of another ``kind``, the first or that at another ``place``."""
    words = OF_EACH[name][place] if name in OF_EACH else WORDS.get(name)
    if words is TRUTH and room is dtypes.uint8:
        return
    shown = {"type": SCALAR_TYPE[kind.name], "room": SCALAR_TYPE[room.name]}
    if words is not None:
        raise RuntimeError(words.format(name=name, c_type=C_TYPE[kind.name], c_room=C_TYPE[room.name], **shown))
    if kind.category > room.category:
        if name in ("cat", "stack", "hstack", "vstack", "dstack", "column_stack"):
            raise TypeError("torch.cat(): input types can't be cast to the desired output type {room}".format(**shown))
        raise RuntimeError("result type {type} can't be cast to the desired output type {room}".format(**shown))
