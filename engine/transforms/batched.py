"""``autograd.grad`` with ``is_grads_batched``: several vector-Jacobian products at once."""

from __future__ import annotations

from typing import Any

from engine.autograd import backward as backward_pass
from engine.autograd.edges import implicit_seed, listed, shape_and_dtype
from engine.ops.core.catalogue import TABLES
from engine.ops.random.state import drawing_refused
from engine.size import Size
from engine.tensor import Tensor
from engine.transforms.vmap import batch_size, checked_dims


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """``torch.autograd.grad``; with ``is_grads_batched`` the first dimension of ``grad_outputs`` counts the products.

    Raises:
        RuntimeError: as `engine.autograd.backward.grad`; also when a derivative draws random numbers, or is sparse.
        ValueError: several gradients differ in the number of products, or one is left out.
    """
    rest = {
        "allow_unused": allow_unused, "materialize_grads": materialize_grads, "create_graph": create_graph,
        "only_inputs": only_inputs,
    }  # fmt: skip
    if not is_grads_batched:
        return backward_pass.grad(outputs, inputs, grad_outputs, retain_graph, **rest)
    seeds = list(grad_outputs) if isinstance(grad_outputs, list | tuple) else [grad_outputs]
    for index, (root, seed) in enumerate(zip(listed(outputs), seeds, strict=True)):
        if isinstance(seed, Tensor) and seed.shape[1:] != root.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The sizes "
                "of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{index}] has a shape of {seed.shape[2:]} and output[{index}] has a shape of {root.shape}. If you only want "
                "some tensors in `grad_output` to be considered batched, consider using vmap."
            )
    for root, seed in zip(listed(outputs), seeds, strict=True):
        if seed is None:  # a single gradient, which has no batch dimension
            checked_dims(0, (implicit_seed(root),), [implicit_seed(root)], "vjp")
    size = batch_size(seeds, [0] * len(seeds))
    keep = create_graph if retain_graph is None else retain_graph
    with drawing_refused(RANDOM_INSIDE):
        rows = [
            backward_pass.grad(outputs, inputs, [s[i] for s in seeds], keep or i + 1 < size, **rest)
            for i in range(size)
        ]
    named = type(inputs) is dict
    found = tuple(
        None if gradients[0] is None else stacked([g for g in gradients if isinstance(g, Tensor)])
        for gradients in zip(*(row.values() if named else row for row in rows), strict=True)
    )
    return dict(zip(inputs, found, strict=True)) if named else found


RANDOM_INSIDE = (
    "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations outside of vmap as a "
    "workaround"
)


def stacked(gradients: list[Tensor]) -> Tensor:
    """One product per row.

    Raises:
        NotImplementedError: they are sparse, as PyTorch's batches cannot be.
    """
    if not gradients[0]._strided:
        raise gradients[0]._array.not_for_sparse("view")
    together: Tensor = TABLES["torch"]["stack"](gradients)
    return together


def _calculate_shape(output: Any, grad: Tensor, is_grads_batched: bool) -> tuple[Size, Size]:
    """The shapes of an output (or edge) and of its gradient, without the latter's batch dimension if there is one."""
    shape = Size(shape_and_dtype(output)[0])
    return shape, Size(grad._array.shape[1:] if is_grads_batched else grad._array.shape)
