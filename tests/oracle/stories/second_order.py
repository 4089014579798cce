"""Stories about gradients with a graph of their own: which nodes it holds, and what comes out one order further."""

from __future__ import annotations

from typing import Any

POINTWISE = "tanh sigmoid neg exp log sqrt sin square reciprocal"
ACTIVATIONS = "gelu silu mish hardswish logsigmoid tanhshrink softplus leaky_relu relu"
LOSSES = "mse_loss smooth_l1_loss binary_cross_entropy_with_logits kl_div"


def graph(node: Any, seen: dict[int, int]) -> str:
    """The nodes from here on, with what each saves."""
    if node is None:
        return "-"
    if id(node) in seen:
        return f"^{seen[id(node)]}"
    seen[id(node)] = len(seen)
    saved = ",".join(sorted(name[7:] for name in dir(node) if name.startswith("_saved_")))
    further = ",".join(graph(receiver, seen) for receiver, _ in node.next_functions)
    return f"{type(node).__name__}[{saved}]({further})"


def settled(gradient: Any) -> Any:
    """Values without the dust that rounding leaves in place of zero."""
    return (gradient.detach() * 1e6).round() / 1e6 + 0


def tell_orders(torch: Any, say: Any, function: Any) -> None:
    x = torch.tensor([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]], dtype=torch.float64, requires_grad=True)
    y = function(x)
    incoming = torch.ones_like(y).requires_grad_()
    (first,) = torch.autograd.grad(y, x, incoming, create_graph=True)
    say(graph(first.grad_fn, {}), first)
    weighted = (first * torch.tensor([[1.0, 2.0, -1.0], [0.5, -2.0, 3.0]], dtype=torch.float64)).sum()
    second = torch.autograd.grad(weighted, (x, incoming), create_graph=True, allow_unused=True)
    say([None if g is None else settled(g) for g in second])
    if second[0] is not None and second[0].requires_grad:
        (third,) = torch.autograd.grad((second[0] * second[0]).sum(), x, allow_unused=True)
        say(None if third is None else settled(third))


def functions_leave_pytorchs_graph(torch: Any, say: Any) -> None:
    for name in POINTWISE.split():
        say(name)
        tell_orders(torch, say, lambda x, n=name: getattr(x.abs() if n in ("log", "sqrt") else x, n)())


def activations_leave_pytorchs_graph(torch: Any, say: Any) -> None:
    for name in ACTIVATIONS.split():
        say(name)
        tell_orders(torch, say, getattr(torch.nn.functional, name))
    tell_orders(torch, say, lambda x: torch.nn.functional.gelu(x, approximate="tanh"))


def losses_leave_pytorchs_graph(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    for name in LOSSES.split():
        for reduction in ("mean", "sum", "none"):
            say(name, reduction)
            tell_orders(
                torch, say, lambda x, n=name, r=reduction: getattr(functional, n)(x, x.detach() * 0 + 0.25, reduction=r)
            )
    tell_orders(torch, say, lambda x: functional.mse_loss(x, x * x))
    tell_orders(torch, say, lambda x: functional.cross_entropy(x, torch.tensor([0, 1])))
    tell_orders(torch, say, lambda x: functional.cross_entropy(x, torch.tensor([0, 1]), label_smoothing=0.1))


def reductions_leave_pytorchs_graph(torch: Any, say: Any) -> None:
    for function in (
        lambda x: x.mean(), lambda x: x.mean(1), lambda x: x.norm(), lambda x: x.norm(dim=1), lambda x: x.std(),
        lambda x: x.var(1), lambda x: x.prod(), lambda x: x.cumprod(1), lambda x: x.softmax(1), lambda x: x.log_softmax(1),
        lambda x: x.logsumexp(1), lambda x: x[[0, 0]], lambda x: x[x > 0], lambda x: torch.stack([x, x * 2]),
    ):  # fmt: skip
        tell_orders(torch, say, function)


def running_products_pass_zeros(torch: Any, say: Any) -> None:
    for numbers in ([-1.5, 0.0, -3.0, 1.0], [0.0, 0.0, 2.0], [-2.0, 0.0, 0.0, 3.0, 0.0], [3.0, 0.0], [0.0, -5.0]):
        x = torch.tensor([numbers, numbers[::-1]], requires_grad=True)
        incoming = torch.arange(1.0, len(numbers) + 1).expand(x.shape)
        for dim in (0, 1):
            running = x.cumprod(dim)
            say(torch.autograd.grad(running, x, incoming, retain_graph=True))
            (first,) = torch.autograd.grad(running, x, incoming, create_graph=True)
            say(first, graph(first.grad_fn, {}))
            say(settled(torch.autograd.grad(first.pow(2).sum(), x)[0]))


def products_leave_pytorchs_graph(torch: Any, say: Any) -> None:
    weight = torch.arange(12, dtype=torch.float64).reshape(4, 3).requires_grad_()
    bias = torch.ones(4, dtype=torch.float64, requires_grad=True)
    for function in (
        lambda x: x @ x.t(), lambda x: torch.nn.functional.linear(x, weight, bias), lambda x: x @ weight.t(),
        lambda x: torch.nn.functional.linear(weight[:, :3], x), lambda x: torch.addmm(bias[:2], x, x.t(), alpha=2),
    ):  # fmt: skip
        tell_orders(torch, say, function)
    y = torch.nn.functional.linear(torch.ones(2, 3, dtype=torch.float64), weight, bias)
    (first,) = torch.autograd.grad((y * y).sum(), weight, create_graph=True)
    say(graph(first.grad_fn, {}), first.stride())


def tell_together(torch: Any, say: Any, function: Any, *leaves: Any) -> None:
    """The gradients of several leaves at once, their common graph, and what one order further comes out."""
    y = function(*leaves)
    incoming = torch.ones_like(y).requires_grad_()
    firsts = torch.autograd.grad(y, leaves, incoming, create_graph=True)
    seen: dict[int, int] = {}
    for first in firsts:
        say(graph(first.grad_fn, seen), first.output_nr, settled(first))
    total = sum(((number + 2) * first.pow(2)).sum() for number, first in enumerate(firsts))
    seconds = torch.autograd.grad(total, (*leaves, incoming), create_graph=True, allow_unused=True)
    say([None if second is None else settled(second) for second in seconds])
    thirds = torch.autograd.grad(
        sum(s.pow(2).sum() for s in seconds if s is not None and s.requires_grad), leaves, allow_unused=True
    )
    say([None if third is None else settled(third) for third in thirds])


def numbers(torch: Any, *shape: int) -> Any:
    count = 1
    for length in shape:
        count *= length
    return (torch.arange(count, dtype=torch.float64) * 0.7).sin().view(shape).requires_grad_()


def a_convolutions_gradients_come_from_one_node(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    image, filters, bias = numbers(torch, 2, 2, 4, 4), numbers(torch, 4, 1, 2, 2), numbers(torch, 4)
    tell_together(
        torch, say, lambda x, w, b: functional.conv2d(x, w, b, stride=2, padding=1, groups=2), image, filters, bias
    )
    tell_together(
        torch, say, lambda x, w: functional.conv1d(x, w, dilation=2), numbers(torch, 1, 2, 5), numbers(torch, 3, 2, 2)
    )
    tell_together(
        torch, say, lambda x, w, b: functional.conv_transpose1d(x, w, b, stride=2),
        numbers(torch, 1, 2, 3), numbers(torch, 2, 2, 2), numbers(torch, 2),
    )  # fmt: skip
    tell_together(torch, say, lambda x: functional.conv2d(x, filters.detach(), groups=2), image)
    tell_together(torch, say, lambda w: functional.conv2d(image.detach(), w, groups=2), filters)
    tell_together(torch, say, lambda b: functional.conv2d(image.detach(), filters.detach(), b, groups=2), bias)


def a_convolution_keeps_both_factors_whichever_gradient_is_wanted(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    image, filters, bias = torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 1), torch.ones(1)
    for leaf in (image, filters, bias):
        leaf.requires_grad_()
        node = functional.conv2d(image, filters, bias).grad_fn
        say(node._saved_input is None, node._saved_weight is None)
        leaf.requires_grad_(False)


def losses_with_kernels_of_their_own_leave_one_node(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    p, target = (
        (numbers(torch, 2, 3).detach() * 0.4 + 0.5).requires_grad_(),
        torch.full((2, 3), 0.3, dtype=torch.float64),
    )
    for reduction in ("mean", "sum", "none"):
        tell_together(torch, say, lambda x, r=reduction: functional.binary_cross_entropy(x, target, reduction=r), p)
        tell_together(torch, say, lambda x, r=reduction: functional.huber_loss(x, target, reduction=r, delta=0.2), p)
    tell_together(torch, say, lambda x: functional.binary_cross_entropy(x, target, weight=target * 2), p)
    tell_together(torch, say, lambda x, t: functional.huber_loss(x, t), p, target.clone().requires_grad_())
    tell_together(torch, say, lambda x, t: functional.binary_cross_entropy(x, t), p, target.clone().requires_grad_())


def arithmetic_in_pytorchs_order_leaves_pytorchs_graph(torch: Any, say: Any) -> None:
    x, y = (
        (numbers(torch, 3).detach() * 0.3 + 0.5).requires_grad_(),
        torch.tensor([0.5, 0.9, 0.2], dtype=torch.float64, requires_grad=True),
    )
    for name in ("hypot", "atan2"):
        tell_together(torch, say, getattr(torch, name), x, y)
    tell_together(torch, say, lambda a, b: torch.lerp(a, b, b), x, y)
    tell_together(torch, say, lambda a, b: torch.addcdiv(a, a, b, value=2), x, y)
    for function in (torch.atanh, torch.logit, torch.frac):
        tell_together(torch, say, lambda a, f=function: f(a) ** 2, x)
    first = torch.autograd.grad(
        x.norm(1), x, torch.ones((), dtype=torch.float64, requires_grad=True), create_graph=True
    )[0]
    say(graph(first.grad_fn, {}), first)
