"""Stories about the last bit: ``print(loss.item())`` shows all digits of a float32, so programs see how kernels round."""

from __future__ import annotations

from typing import Any

SIZES = (3, 5, 8, 20, 40)


def rows(torch: Any, size: int) -> Any:
    torch.manual_seed(size)
    return torch.randn(4, size) * 2


def bits(tensor: Any) -> list[str]:
    return [float(v).hex() for v in tensor.detach().double().flatten().tolist()]


def losses_round_as_kernels_do(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    for size in SIZES:
        x = rows(torch, size)
        y, classes = torch.zeros_like(x), torch.arange(4) % size
        say(bits(functional.mse_loss(x, y)), bits(functional.mse_loss(x, y, reduction="sum")))
        say(bits(functional.smooth_l1_loss(x, y)), bits(functional.l1_loss(x, y)))
        say(
            bits(functional.nll_loss(x, classes)),
            bits(functional.nll_loss(x, classes, weight=torch.linspace(0.1, 1, size))),
        )
        say(bits(functional.nll_loss(x.reshape(-1, 1), torch.zeros(x.numel(), dtype=torch.long))))


def updates_are_fused(torch: Any, say: Any) -> None:
    for size in SIZES:
        a, b, c = rows(torch, size)[:3]
        say(bits(torch.add(a, b, alpha=0.3)), bits(a.sub(b, alpha=0.7)), bits(a.clone().add_(b, alpha=-0.01)))
        say(bits(torch.lerp(a, b, 0.3)), bits(torch.lerp(a, b, 0.9)), bits(a.lerp(b, torch.sigmoid(c).round())))
        say(bits(torch.addcmul(a, b, c)), bits(torch.addcmul(a, b, c, value=0.001)))
        say(bits(torch.addcdiv(a, b, c, value=-0.1)))


def running_sums_are_carried_in_double(torch: Any, say: Any) -> None:
    for size in SIZES:
        x = rows(torch, size)
        say(bits(x.cumsum(1)), bits(x.cumsum(0)), bits(x.cumprod(1)))


def spreads_are_rounded_once(torch: Any, say: Any) -> None:
    for size in SIZES:
        x = rows(torch, size)[0]
        say(bits(x.std()), bits(x.var()), bits(x.std(correction=0)))


def straight_pieces_round_step_by_step(torch: Any, say: Any) -> None:
    for size in SIZES:
        x = rows(torch, size)
        say(bits(torch.nn.functional.hardswish(x)), bits(torch.nn.functional.hardsigmoid(x)))


def training_prints_the_same_digits(torch: Any, say: Any) -> None:
    for make in (
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
        lambda p: torch.optim.SGD(p, lr=0.05, weight_decay=0.01, nesterov=True, momentum=0.5),
    ):
        torch.manual_seed(0)
        w, x, y = torch.zeros(3, requires_grad=True), torch.randn(8, 3), torch.randn(8)
        optimizer = make([w])
        for _ in range(5):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss((x * w).sum(1), y)
            loss.backward()
            optimizer.step()
            say(bits(loss), bits(w))


def the_root_mean_square_norm_of_turned_rows_is_laid_out_anew(torch: Any, say: Any) -> None:
    x = torch.arange(1.0, 7.0).view(2, 3).requires_grad_()
    for weight in (None, torch.ones(2)):
        normed = torch.nn.functional.rms_norm(x.t(), (2,), weight)
        say(normed, normed.stride(), normed.grad_fn.next_functions)
    say(torch.nn.functional.rms_norm(x, (3,)))


def backward_kernels_round_as_they_do(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    for size in SIZES:
        x, weights = rows(torch, size).requires_grad_(), rows(torch, size)
        shares = torch.sigmoid(weights)
        for result in (
            torch.tanh(x), torch.sigmoid(x), functional.silu(x), functional.softplus(x), functional.elu(x),
            torch.softmax(x, 1), torch.log_softmax(x, 1),
        ):  # fmt: skip
            say(bits(torch.autograd.grad(result, x, weights)[0]))
        for loss in (
            functional.binary_cross_entropy_with_logits(x, shares), functional.huber_loss(x, weights),
            functional.smooth_l1_loss(x, weights), functional.cross_entropy(x, torch.arange(4) % size),
        ):  # fmt: skip
            say(bits(torch.autograd.grad(loss, x)[0]))
        probabilities = shares.clone().requires_grad_()
        say(bits(torch.autograd.grad(functional.binary_cross_entropy(probabilities, shares.flip(0)), probabilities)[0]))


def a_slope_rounds_alike_where_hooks_keep_what_was_saved_and_in_a_graph_of_its_own(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    x = torch.tensor([0.3, -1.2, 0.7234], requires_grad=True)
    weights = torch.tensor([1.7, 0.3, -2.1])
    for function in (
        torch.tanh, torch.sigmoid, functional.softplus, functional.elu, functional.selu,
        lambda t: torch.softmax(t, 0), lambda t: torch.log_softmax(t, 0),
    ):  # fmt: skip
        say(bits(torch.autograd.grad(function(x), x, weights)[0]))
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
            kept = function(x)
        say(bits(torch.autograd.grad(kept, x, weights)[0]))
        say(bits(torch.autograd.grad(function(x), x, weights, create_graph=True)[0]))
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        kept = functional.silu(x)
    say(bits(torch.autograd.grad(kept, x, weights)[0]))


def several_zeros_leave_a_product_no_slope_without_signs(torch: Any, say: Any) -> None:
    for values in ([0.0, 0.0, -1.0], [0.0, -2.0, -1.0], [-0.0, 0.0, 0.0]):
        x = torch.tensor(values, requires_grad=True)
        say(torch.autograd.grad(x.prod(), x)[0], torch.autograd.grad(x.prod(0), x)[0])
        say(torch.autograd.grad(x.prod(), x, create_graph=True)[0])


def products_with_zeros_have_pytorchs_graph_of_slopes(torch: Any, say: Any) -> None:
    def names(node: Any) -> list[Any]:
        return [] if node is None else [node.name(), *(names(following) for following, _ in node.next_functions)]

    for values in ([[0.0, -2.0, -1.0]], [[0.0, 0.0], [3.0, 0.0]], [[2.0, 0.0], [3.0, 5.0]], [0.0], [1.0]):
        for product in (torch.Tensor.prod, lambda x: x.prod(0).sum(), lambda x: x.prod(-1, keepdim=True).sum()):
            x = torch.tensor(values, requires_grad=True)
            gradient = torch.autograd.grad(product(x), x, create_graph=True)[0]
            say(gradient, names(gradient.grad_fn))
            say(torch.autograd.grad(product(x), x)[0])
            if gradient.requires_grad:
                say(torch.autograd.grad(gradient.sum(), x, allow_unused=True)[0])


def complex_numbers_multiply_to_the_last_bit(torch: Any, say: Any) -> None:
    def parts(tensor: Any) -> tuple[list[str], list[str]]:
        return bits(tensor.real), bits(tensor.imag)

    for dtype in (torch.float32, torch.float64):
        for size in (1, 2, 3, 4, 5, 7, 8, 9, 15, 33):
            steps = torch.arange(1.0, size + 1, dtype=dtype)
            a, b = torch.complex(1.1 / steps, steps / 7), torch.complex(steps / 3 - 1, 0.7 - steps / 11)
            say(size, parts(a * b), parts(a * a.conj()), parts(a[0] * b), parts(a * (0.3 - 0.7j)))
            say(parts(torch.stack([a, b], 1)[:, 0] * b), parts(a.clone().mul_(b)), parts(a**2))
            say(bits(a.abs()), parts(a.sum()), parts(a.mean()))
        a, b = a[:6].view(2, 3), b[:6].view(2, 3)
        say(parts(a * b), parts(a * b[0]), parts(a.t() * b.t()))
    z = torch.tensor([1.3 + 2.1j, 0.7 - 1.9j], requires_grad=True)
    say((z * z.conj()).imag, z.abs(), torch.autograd.grad((z * z.conj()).real.sum(), z)[0])


def distances_of_close_points_cancel_alike(torch: Any, say: Any) -> None:
    generator = torch.Generator().manual_seed(3)
    for rows, columns, depth in ((40, 2, 2), (30, 30, 3), (100, 10, 16)):
        points = (torch.randn(rows, depth, generator=generator) + 5).requires_grad_()
        others = torch.cat(
            [points.detach()[: columns // 2], torch.randn(columns - columns // 2, depth, generator=generator)]
        )
        distances = torch.cdist(points, others)
        (pull,) = torch.autograd.grad(distances[distances > 0].sum(), points)
        say([number.hex() for number in distances[:4].flatten().tolist() + pull[:4].flatten().tolist()])


def halves_meet_single_numbers_in_float32(torch: Any, say: Any) -> None:
    generator = torch.Generator().manual_seed(5)
    values, number = torch.randn(9, generator=generator), torch.tensor(0.1)
    for dtype in (torch.float16, torch.bfloat16):
        halves = values.to(dtype)
        for factor in (0.1, 1 / 3, 1e6, 3, True, number, number.double(), number.to(dtype), number.view(1)):
            say(halves * factor, halves.mul(factor), halves.clone().mul_(factor), halves[0] * factor)
            say(halves / factor, halves.div(factor), halves.clone().div_(factor), torch.div(halves[:1], factor))
        say(halves * number.view(1, 1), halves / number.view(1, 1))
        say(0.1 * halves, 0.1 / halves, number * halves, number / halves, halves / 0.0, halves * values)
        leaf = halves.clone().requires_grad_()
        say(torch.autograd.grad(((leaf * 0.1) ** 2 / 0.3).sum(), leaf)[0])
        weight = number.clone().requires_grad_()
        say(torch.autograd.grad((halves * weight).sum() + (halves / weight).sum(), weight)[0])
        for mode in (None, "floor", "trunc"):
            say(torch.div(halves * 20, 0.3, rounding_mode=mode), torch.div(halves * 20, number, rounding_mode=mode))
        say(halves * 20 // 0.3, halves * 20 // number)
        (slope,) = torch.autograd.grad(((leaf / 0.3) ** 2).sum(), leaf, create_graph=True)
        say(slope, torch.autograd.grad(slope.sum(), leaf)[0])


def normalisations_round_as_kernels_do(torch: Any, say: Any) -> None:
    generator = torch.Generator().manual_seed(9)

    def drawn(*shape: int) -> Any:
        return torch.randn(*shape, generator=generator).requires_grad_()

    functional = torch.nn.functional
    for shape in ((4, 8), (3, 5), (10, 20), (2, 3, 16), (6, 33), (2, 300)):
        x, weight, bias, incoming = drawn(*shape), drawn(shape[-1]), drawn(shape[-1]), drawn(*shape).detach()
        for parameters in ((), (weight,), (weight, bias)):
            y = functional.layer_norm(x, shape[-1:], *parameters)
            say(bits(y)[:40], [bits(g)[:40] for g in torch.autograd.grad(y, (x, *parameters), incoming)])
    y = functional.layer_norm(x.view(2, 30, 10), (30, 10))
    say(bits(y)[:40], bits(torch.autograd.grad(y.pow(3).sum(), x)[0])[:40])
    for size, groups in (((4, 8, 5, 5), 4), ((3, 4, 7), 2), ((5, 6), 3)):
        x, weight, bias, incoming = drawn(*size), drawn(size[1]), drawn(size[1]), drawn(*size).detach()
        for parameters in ((), (weight, bias)):
            y = functional.group_norm(x, groups, *parameters)
            say(bits(y)[:40], [bits(g)[:40] for g in torch.autograd.grad(y, (x, *parameters), incoming)])


def kernels_take_halves_to_float32(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    one = {
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
        "gelu": functional.gelu,
        "silu": functional.silu,
        "mish": functional.mish,
        "elu": functional.elu,
        "leaky_relu": lambda x: functional.leaky_relu(x, 0.2),
        "hardswish": functional.hardswish,
        "hardsigmoid": functional.hardsigmoid,
        "softshrink": lambda x: functional.softshrink(x, 0.3),
        "hardshrink": lambda x: functional.hardshrink(x, 0.3),
        "softplus": functional.softplus,
        "cubed": lambda x: x.pow(3),
        "fourth": lambda x: x**4,
        "sinc": torch.sinc,
        "remainder": lambda x: x % 0.3,
        "softmax": lambda x: x.softmax(1),
        "log_softmax": lambda x: x.log_softmax(1),
        "logsumexp": lambda x: x.logsumexp(1),
        "layer_norm": lambda x: functional.layer_norm(x, (9,)),
        "group_norm": lambda x: functional.group_norm(x, 3),
        "batch_norm": lambda x: functional.batch_norm(x, None, None, training=True),
        "planes": lambda x: functional.batch_norm(x.view(2, 2, 9), None, None, training=True),
        "number": lambda x: torch.add(x, 0.3, alpha=0.7),
        "cross_entropy": lambda x: functional.cross_entropy(x, torch.arange(4)),
        "smoothed": lambda x: functional.cross_entropy(x, torch.arange(4), label_smoothing=0.1),
    }
    several = {
        "add": lambda x, y, z: torch.add(x, y, alpha=0.3),
        "sub": lambda x, y, z: torch.sub(x, y, alpha=0.3),
        "lerp": lambda x, y, z: torch.lerp(x, y, 0.3),
        "lerp_by": torch.lerp,
        "addcmul": torch.addcmul,
        "addcmul_value": lambda x, y, z: torch.addcmul(x, y, z, value=0.3),
        "addcdiv": torch.addcdiv,
        "prelu": lambda x, y, z: functional.prelu(x, y[0]),
        "xlogy": lambda x, y, z: torch.xlogy(x, y.abs()),
        "mse": lambda x, y, z: functional.mse_loss(x, y),
        "mse_sum": lambda x, y, z: functional.mse_loss(x, y, reduction="sum"),
        "huber": lambda x, y, z: functional.huber_loss(x, y, reduction="none", delta=0.7).detach(),
        "smooth_l1": lambda x, y, z: functional.smooth_l1_loss(x, y, reduction="none").detach(),
        "layer_norm": lambda x, y, z: functional.layer_norm(x, (9,), y[0], z[0]),
        "batch_norm": lambda x, y, z: functional.batch_norm(x, None, None, y[0], z[0], training=True),
        "mixed_layer_norm": lambda x, y, z: functional.layer_norm(x, (9,), y[0].float(), z[0].float()),
        "mixed_group_norm": lambda x, y, z: functional.group_norm(x, 3, y[0].float(), z[0].float()),
        "mixed_batch_norm": lambda x, y, z: functional.batch_norm(
            x, None, None, y[0].float(), z[0].float(), training=True
        ),
    }
    for dtype in (torch.float16, torch.bfloat16):
        generator = torch.Generator().manual_seed(11)
        x, y, z, g = ((torch.randn(4, 9, generator=generator) * 2).to(dtype) for _ in range(4))
        asked = [(name, function, (x,)) for name, function in one.items()]
        for name, function, operands in asked + [(name, function, (x, y, z)) for name, function in several.items()]:
            leaves = [each.clone().requires_grad_() for each in operands]
            result = function(*leaves)
            say(name, bits(result))
            if result.requires_grad:
                incoming = g.flatten()[: result.numel()].view(result.shape)
                slopes = torch.autograd.grad(result, leaves, incoming, allow_unused=True)
                say([None if slope is None else bits(slope) for slope in slopes])


def averages_of_counters_stay_whole(torch: Any, say: Any) -> None:
    averages = torch.optim.swa_utils
    layer = torch.nn.BatchNorm1d(2)
    ways = (
        {"multi_avg_fn": averages.get_ema_multi_avg_fn(0.9)},
        {"avg_fn": averages.get_ema_avg_fn(0.9)},
        {"avg_fn": averages.get_swa_avg_fn()},
    )
    for way in ways:
        layer.reset_running_stats()
        model = averages.AveragedModel(layer, use_buffers=True, **way)
        for turn in range(4):
            layer(torch.arange(8.0).view(4, 2) + turn)
            model.update_parameters(layer)
            say(model.module.running_mean, model.module.num_batches_tracked, model.n_averaged)


def halves_added_with_a_factor_round_by_place(torch: Any, say: Any) -> None:
    generator = torch.Generator().manual_seed(13)
    for dtype in (torch.float16, torch.bfloat16):
        for size in (3, 16, 32, 40, 100):
            x, y = (torch.randn(size, generator=generator).to(dtype) for _ in range(2))
            say(bits(torch.add(x, y, alpha=0.3)), bits(x.clone().add_(y, alpha=-0.1)), bits(torch.sub(x, y, alpha=0.7)))
            say(bits(torch.rsub(x, y, alpha=0.3)), bits(torch.add(x, 0.3, alpha=0.7)))
        rows = torch.randn(12, 6, generator=generator).to(dtype)
        say(bits(rows.add(rows.t().contiguous().t() * 3, alpha=0.3)))
