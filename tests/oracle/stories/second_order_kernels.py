"""Stories about the graph behind gradients of normalisations, losses, selections, windows, transforms and factorisations."""

from __future__ import annotations

from typing import Any

from tests.oracle.stories.second_order import graph, numbers, tell_together


def _tell_graphs(torch: Any, say: Any, function: Any, *leaves: Any) -> None:
    """Only the graph of the gradients, where values depend on signs that a factorisation may choose."""
    outputs = function(*leaves)
    outputs = [y for y in (outputs if isinstance(outputs, tuple) else (outputs,)) if y.requires_grad]
    incoming = [torch.ones_like(y).requires_grad_() for y in outputs]
    firsts = torch.autograd.grad(outputs, leaves, incoming, create_graph=True, allow_unused=True)
    seen: dict[int, int] = {}
    for first in firsts:
        say(None if first is None else graph(first.grad_fn, seen))


def normalisations_have_one_node_or_pytorchs_composition(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    x, weight, bias = numbers(torch, 4, 4, 3), numbers(torch, 4), numbers(torch, 4)
    mean, var = torch.zeros(4, dtype=torch.float64), torch.full((4,), 2.0, dtype=torch.float64)
    for training in (True, False):
        tell_together(
            torch, say, lambda a, w, b, t=training: functional.batch_norm(a, mean.clone(), var.clone(), w, b, t),
            x, weight, bias,
        )  # fmt: skip
    tell_together(torch, say, lambda a: functional.batch_norm(a, None, None, training=True), x)
    tell_together(torch, say, lambda w: functional.batch_norm(x.detach(), None, None, w, training=True), weight)
    tell_together(torch, say, lambda a, w, b: functional.instance_norm(a, None, None, w, b), x, weight, bias)
    last = numbers(torch, 3)
    other = last.detach().clone().requires_grad_()
    _tell_graphs(torch, say, lambda a, w, b: functional.layer_norm(a, (3,), w, b), x, last, other)
    tell_together(torch, say, lambda a: functional.layer_norm(a, (4, 3)), x)
    tell_together(torch, say, lambda a, w, b: functional.group_norm(a, 2, w, b), x, weight, bias)
    tell_together(torch, say, lambda a: functional.group_norm(a, 2), x)


def a_normalised_gradient_that_depends_on_its_input_is_not_counted_twice(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    for function in (
        lambda a: functional.batch_norm(a, None, None, training=True), lambda a: functional.layer_norm(a, (3,)),
        lambda a: functional.group_norm(a[..., None], 3),
    ):  # fmt: skip
        x = numbers(torch, 4, 3)
        (first,) = torch.autograd.grad(function(x).pow(3).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.pow(2).sum(), x)
        say(first.detach(), second)


def losses_and_gates_have_their_kernels(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    x, target = numbers(torch, 2, 4), numbers(torch, 2, 4).detach().sign()
    tell_together(torch, say, lambda a: functional.glu(a, 1), x)
    for reduction in ("mean", "sum", "none"):
        tell_together(torch, say, lambda a, r=reduction: functional.soft_margin_loss(a, target, reduction=r), x)
    share = (target * 0.5 + 0.5).requires_grad_()
    tell_together(torch, say, functional.binary_cross_entropy_with_logits, x, share)
    tell_together(
        torch,
        say,
        lambda a, y: functional.binary_cross_entropy_with_logits(a, y, pos_weight=target.abs() * 2),
        x,
        share,
    )
    tell_together(
        torch, say, lambda a, b: functional.poisson_nll_loss(a, b, full=True), x, (target + 3).requires_grad_()
    )
    tell_together(torch, say, lambda a: functional.scaled_dot_product_attention(a[None], a[None], a[None]), x)
    tell_together(
        torch, say, lambda a, b, w: functional.bilinear(a, b, w), x, numbers(torch, 2, 3), numbers(torch, 2, 4, 3)
    )


def a_linear_classifier_sees_a_lone_row_and_probabilities_in_another_shape(torch: Any, say: Any) -> None:
    loss, weight = torch.nn.functional.linear_cross_entropy, numbers(torch, 4, 3)
    tell_together(torch, say, lambda x, w: loss(x, w, torch.tensor(1)), numbers(torch, 3), weight)
    tell_together(
        torch, say, lambda x, w: loss(x, w, torch.full((2, 4), 0.25, dtype=torch.float64)), numbers(torch, 2, 3), weight
    )


def a_sampled_image_has_one_node(torch: Any, say: Any) -> None:
    image = numbers(torch, 1, 2, 3, 3)
    places = (numbers(torch, 1, 2, 2, 2).detach() * 0.8).requires_grad_()
    sample = torch.nn.functional.grid_sample
    tell_together(torch, say, lambda x, g: sample(x, g, align_corners=False), image, places)
    tell_together(torch, say, lambda x: sample(x, places.detach(), align_corners=True), image)


def a_stretched_number_is_summed_at_once(torch: Any, say: Any) -> None:
    x, number = numbers(torch, 2, 3), torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    for function in (
        torch.add, torch.mul, torch.div, torch.maximum, torch.pow, torch.hypot, lambda a, b: b.expand(2, 3) * a,
        lambda a, b: torch.where(a > 0, a, b), lambda a, b: a.clamp_min(b), lambda a, b: b.expand_as(b) * a,
    ):  # fmt: skip
        tell_together(torch, say, lambda a, b, f=function: f(a.abs() + 0.5, b), x, number)


def powers_and_functions_leave_pytorchs_graph(torch: Any, say: Any) -> None:
    x, y = (numbers(torch, 3).detach() + 1.5).requires_grad_(), (numbers(torch, 3).detach() + 1).requires_grad_()
    for function in (torch.pow, torch.logaddexp2, torch.ldexp, torch.dist, torch.polar):
        tell_together(torch, say, lambda a, b, f=function: abs(f(a, b)), x, y)
    tell_together(torch, say, lambda a: torch.mvlgamma(a + 2, 3), x)
    tell_together(torch, say, lambda a: torch.renorm(a.view(3, 1), 2, 0, 1.2), x)


def selections_leave_pytorchs_graph(torch: Any, say: Any) -> None:
    x, number = numbers(torch, 2, 3), torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    for function in (
        lambda a: a.max(0)[0], lambda a: a.min(0)[0], lambda a: a.kthvalue(1)[0], lambda a: a.topk(1)[0], lambda a: a.cummax(0)[0],
        lambda a: a.amax(), lambda a: a.amin(0), lambda a: a.aminmax(dim=0)[0], lambda a: a.prod(), lambda a: a.prod(0),
    ):  # fmt: skip
        _tell_graphs(torch, say, function, number)
    mask = torch.tensor([[True, False, True], [False, True, False]])
    index = torch.tensor([1, 0])
    tell_together(torch, say, lambda a, b: a.masked_fill(mask, b), x, number)
    tell_together(torch, say, lambda a, b: a.masked_scatter(mask, b), x, numbers(torch, 4))
    tell_together(torch, say, lambda a, b: a.index_reduce(0, index, b, "mean"), x, numbers(torch, 2, 3))
    tell_together(
        torch, say, lambda a, b: a.scatter_reduce(0, index[:, None].expand(2, 3), b, "mean"), x, numbers(torch, 2, 3)
    )
    tell_together(torch, say, lambda a: a.repeat(2, 1, 1), x)
    tell_together(torch, say, lambda a: a.repeat(1, 2), x)
    for shape in ((2, 2), (2, 3), (3, 2)):
        tell_together(torch, say, torch.trace, numbers(torch, *shape))
    tell_together(torch, say, lambda a, b: torch.block_diag(a, b), x, numbers(torch, 2))


def windows_and_written_views_leave_pytorchs_graph(torch: Any, say: Any) -> None:
    x = numbers(torch, 6)
    tell_together(torch, say, lambda a: a.as_strided((2, 2), (2, 1), 1), x)
    tell_together(torch, say, lambda a: a.as_strided((3, 2), (1, 1)), x)
    tell_together(torch, say, lambda a: a.as_strided((2, 3), (0, 1)), x)
    tell_together(torch, say, lambda a: torch.as_strided_copy(a, (2, 2), (1, 2)), x)

    def written(a: Any) -> Any:
        b = a.clone()
        b[1:3].mul_(a[:2])
        return b

    tell_together(torch, say, written, x)
    tell_together(torch, say, lambda a: torch.nn.functional.pad(a[None], (1, 1), mode="circular"), x)


def transforms_leave_pytorchs_graph(torch: Any, say: Any) -> None:
    x = numbers(torch, 2, 4)
    for name in ("fft", "rfft", "irfft", "fft2", "rfft2", "irfftn", "ihfft"):
        tell_together(torch, say, lambda a, n=name: getattr(torch.fft, n)(a).abs(), x)


def factorisations_leave_pytorchs_graph(torch: Any, say: Any) -> None:
    linalg = torch.linalg
    square = (numbers(torch, 3, 3).detach() + torch.eye(3, dtype=torch.float64) * 2).requires_grad_()
    wide, tall = numbers(torch, 2, 3), numbers(torch, 3, 2)
    for matrix in (square, wide, tall):
        _tell_graphs(torch, say, lambda a: linalg.lu(a)[1:], matrix)
        _tell_graphs(torch, say, lambda a: linalg.lu(a)[1], matrix)
        _tell_graphs(torch, say, lambda a: linalg.lu(a)[2], matrix)
        pivots = torch.arange(1, min(matrix.shape) + 1, dtype=torch.int32)
        _tell_graphs(torch, say, lambda a, p=pivots: torch.lu_unpack(a, p), matrix)
        for part in (0, 1):
            _tell_graphs(torch, say, lambda a, p=part: linalg.qr(a)[p], matrix)
        for part in (0, 1, 2):
            _tell_graphs(torch, say, lambda a, p=part: linalg.svd(a, full_matrices=False)[p].abs(), matrix)
        _tell_graphs(torch, say, lambda a: tuple(t.abs() for t in linalg.svd(a, full_matrices=False)), matrix)
    for function in (
        lambda a: linalg.eigh(a)[0], lambda a: linalg.eigh(a)[1].abs(), lambda a: linalg.eig(a)[0].abs(),
        lambda a: linalg.eig(a)[1].abs(), linalg.det, lambda a: linalg.slogdet(a)[1], linalg.matrix_exp,
        lambda a: linalg.solve(a, a[0].detach()), lambda a: linalg.solve(a, a.detach()),
    ):  # fmt: skip
        _tell_graphs(torch, say, function, square)
