"""Stories about ``torch.autograd.functional`` and the gradient checks."""

from __future__ import annotations

from typing import Any


def jacobians(torch: Any, say: Any) -> None:
    f = torch.autograd.functional
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    say(f.jacobian(lambda a: a**2, x))
    say(f.jacobian(lambda a, b: a * b, (x, y)))
    say(f.jacobian(lambda a, b: (a * b, a.sum()), (x, y)))
    say(f.jacobian(lambda a: a.sum(), x), f.jacobian(lambda a: a.exp(), torch.tensor(1.0)))
    say(f.jacobian(lambda a: a.reshape(2, 1) * a, x).shape)
    say(
        f.jacobian(lambda a: a**2, x, vectorize=True),
        f.jacobian(lambda a: a**2, x, vectorize=True, strategy="forward-mode"),
    )
    say(f.jacobian(lambda a: torch.ones(2), x), f.jacobian(lambda a: a.detach(), x))
    j = f.jacobian(lambda a: a**3, x.requires_grad_(), create_graph=True)
    say(j.requires_grad, torch.autograd.grad(j.sum(), x))
    say(f.jacobian(lambda a: a**3, x).requires_grad)


def jacobian_refusals(torch: Any, say: Any) -> None:
    f = torch.autograd.functional
    x = torch.ones(2)
    say.error(lambda: f.jacobian(lambda a: 1, x))
    say.error(lambda: f.jacobian(lambda a: (a, 1), x))
    say.error(lambda: f.jacobian(lambda a: None, x))
    say.error(lambda: f.jacobian(lambda a: a, 5))
    say.error(lambda: f.jacobian(lambda a: a, (x, 5)))
    say.error(lambda: f.jacobian(lambda a: [a, 1], x))
    say.error(lambda: f.jacobian(lambda a: a.detach(), x, strict=True))
    say.error(lambda: f.jacobian(lambda a, b: a, (x, x), strict=True))
    say.error(lambda: f.jacobian(lambda a: a * 2, x, strict=True, create_graph=True))
    say.error(lambda: f.jacobian(lambda a: a * 2, x, strict=True, vectorize=True))
    say.error(lambda: f.jacobian(lambda a: a * 2, x, strategy="forward-mode"))
    say.error(lambda: f.jacobian(lambda a: a * 2, x, strategy="sideways"))
    say.error(lambda: f.jacobian(lambda a: a * 2, x, strict=True, vectorize=True, strategy="forward-mode"))
    say.error(lambda: f.jacobian(lambda a: a * 2, x, create_graph=True, vectorize=True, strategy="forward-mode"))


def hessians(torch: Any, say: Any) -> None:
    f = torch.autograd.functional
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0])
    say(f.hessian(lambda a: (a**3).sum(), x))
    say(f.hessian(lambda a, b: (a * b).sum() ** 2, (x, y)))
    say(f.hessian(lambda a: (a * 2).sum(), x))
    say(f.hessian(lambda a: (a**3).sum(), x, vectorize=True))
    say(f.hessian(lambda a: (a**3).sum().reshape(1), x))
    say.error(lambda: f.hessian(lambda a: a, x))
    say.error(lambda: f.hessian(lambda a: (a.sum(), a.sum()), x))
    say.error(lambda: f.hessian(lambda a: 1, x))
    say.error(lambda: f.hessian(lambda a: a.detach().sum(), x, strict=True))
    say.error(lambda: f.hessian(lambda a: (a * 2).sum(), x, strict=True))
    say.error(lambda: f.hessian(lambda a: (a * 2).sum(), x, outer_jacobian_strategy="x"))
    h = f.hessian(lambda a: (a**4).sum(), x.requires_grad_(), create_graph=True)
    say(h, torch.autograd.grad(h.sum(), x))


def products(torch: Any, say: Any) -> None:
    f = torch.autograd.functional
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    v = torch.tensor([1.0, 10.0])
    say(f.vjp(lambda a: a**2, x, v))
    say(f.vjp(lambda a: (a**2).sum(), x))
    say(f.vjp(lambda a, b: a * b, (x, y), v))
    say(f.jvp(lambda a: a**2, x, v))
    say(f.jvp(lambda a, b: (a * b, a), (x, y), (v, v)))
    say(f.jvp(lambda a: a**2, torch.tensor(2.0)))
    say(f.hvp(lambda a: (a**3).sum(), x, v))
    say(f.vhp(lambda a: (a**3).sum(), x, v))
    say(f.vhp(lambda a, b: (a * b).sum() ** 2, (x, y), (v, v)))
    say(f.hvp(lambda a, b: (a * b).sum() ** 2, (x, y), (v, v)))
    out, product = f.vjp(lambda a: a**3, x.requires_grad_(), v, create_graph=True)
    say(out.requires_grad, product, torch.autograd.grad(product.sum(), x))
    out, product = f.jvp(lambda a: a**3, x, v, create_graph=True)
    say(product.requires_grad, torch.autograd.grad(product.sum(), x))


def product_refusals(torch: Any, say: Any) -> None:
    f = torch.autograd.functional
    x = torch.ones(2)
    v = torch.ones(2)
    for name in ("vjp", "jvp", "vhp", "hvp"):
        g = getattr(f, name)
        scalar = name in ("vhp", "hvp")
        say(name)
        say.error(lambda: g((lambda a: a.sum()) if scalar else (lambda a: a), x))
        say.error(lambda: g((lambda a: a.sum()) if scalar else (lambda a: a), x, torch.ones(3)))
        say.error(lambda: g((lambda a: a.sum()) if scalar else (lambda a: a), x, (v, v)))
        say.error(lambda: g((lambda a: a.sum()) if scalar else (lambda a: a), x, 5))
        say.error(lambda: g(lambda a: 1, x, v))
        say.error(lambda: g(lambda a: (a, 1), x, v))
        say.error(lambda: g(lambda a: a.detach().sum(), x, v if scalar or name == "jvp" else None, strict=True))
        say.error(lambda: g(lambda a, b: a.sum(), (x, x), (v, v) if scalar or name == "jvp" else None, strict=True))
        say.error(lambda: g(lambda a, b: a.sum(), (x, x), (v, v) if scalar or name == "jvp" else None))
        say.error(lambda: g(lambda a: a, x, v) if scalar else None)
        say.error(lambda: g((lambda a: (a * 2).sum()), x, v if scalar or name == "jvp" else None, strict=True))
        say.error(
            lambda: g(
                (lambda a: (a * 2).sum()), x, v if scalar or name == "jvp" else None, strict=True, create_graph=True
            )
        )
        say.error(lambda: g((lambda a: (a * 2).sum()), "x", v))


def products_inside_no_grad(torch: Any, say: Any) -> None:
    f = torch.autograd.functional
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        say(
            f.vjp(lambda a: a**2, x, torch.ones(2)), f.jacobian(lambda a: a**2, x), f.hessian(lambda a: (a**3).sum(), x)
        )
        say(f.jvp(lambda a: a**2, x, torch.ones(2)), f.hvp(lambda a: (a**3).sum(), x, torch.ones(2)))
        say(f.vjp(lambda a: a**2, x, torch.ones(2), create_graph=True)[1].requires_grad)


def gradcheck_passes(torch: Any, say: Any) -> None:
    check, second = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    x = torch.tensor([0.5, 1.5, -0.7], dtype=torch.float64, requires_grad=True)
    say(check(torch.sin, x), check(torch.sin, (x,)), second(torch.sin, x), check(lambda a: (a.sin(), a * 2), x))
    say(check(lambda a, b: a * b, (x, x.detach().clone().requires_grad_())), check(torch.sin, x, fast_mode=True))
    say(second(lambda a: a**3, x, fast_mode=True), check(lambda a: a.sum(), x, check_undefined_grad=False))
    z = torch.tensor([1 + 2j, -1j], dtype=torch.complex128, requires_grad=True)
    say(check(lambda a: a * a, z), check(torch.abs, z), check(torch.view_as_real, z), second(lambda a: a * a, z))
    say(check(lambda a: a.to(torch.complex128) * 1j, x), check(torch.sin, x, check_batched_grad=True))
    say(check(torch.sin, x, check_forward_ad=True), check(lambda a: a.exp(), x, check_forward_ad=True, fast_mode=True))
    say(check(lambda a, k: a * k, (x, 3.0)), check(lambda a: a, x.clone()))
    say(
        check(torch.sin, x, check_forward_ad=True, check_backward_ad=False),
        check(lambda a: a * 2, x.detach().requires_grad_(), atol=1e-3),
    )


def gradcheck_fails(torch: Any, say: Any) -> None:
    check, second = torch.autograd.gradcheck, torch.autograd.gradgradcheck

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3

    x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
    say.error(lambda: check(Wrong.apply, x))
    say(check(Wrong.apply, x, raise_exception=False))
    say.error(lambda: check(Wrong.apply, x, fast_mode=True))
    say.error(lambda: check(torch.sin, x.float().detach().requires_grad_()))
    say.error(lambda: check(torch.sin, x.detach()))
    say.error(lambda: check(lambda a: 1, x))
    say.error(lambda: check(lambda a: (a, 1), x))
    say.error(lambda: check(lambda a: a.detach(), x))
    say.error(lambda: check(torch.sin, x, check_forward_ad=False, check_backward_ad=False))
    say.error(lambda: check(torch.sin, x, check_forward_ad=False, check_batched_forward_grad=True))
    say.error(lambda: check(torch.sin, x, check_backward_ad=False, check_batched_grad=True, check_forward_ad=True))
    say.error(lambda: second(torch.sin, x.detach()))


def gradcheck_catches_more(torch: Any, say: Any) -> None:
    check = torch.autograd.gradcheck

    class Undefined(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return torch.ones(2, dtype=torch.float64) if g is None else g * 2

    x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
    say.error(lambda: check(Undefined.apply, x))
    say(check(Undefined.apply, x, check_undefined_grad=False))

    class Random(torch.autograd.Function):
        calls = 0

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            Random.calls += 1
            return g * 2 + Random.calls * 1e-3 * g

    say.error(lambda: check(Random.apply, x, atol=10))
    say(check(Random.apply, x, nondet_tol=1, atol=10))
    say.error(lambda: check(lambda a: a.expand(3, 2), x[:1].detach().expand(2).requires_grad_()))


def gradcheck_in_slow_and_fast_mode_say_where(torch: Any, say: Any) -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3

    x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
    try:
        torch.autograd.gradcheck(Wrong.apply, x)
    except RuntimeError as error:
        say(str(error), type(error).__name__, type(error).__mro__[1].__name__)


def second_derivatives_checked(torch: Any, say: Any) -> None:
    second = torch.autograd.gradgradcheck
    x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)

    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2 * ctx.saved_tensors[0].detach()

    say.error(lambda: second(Once.apply, x))
    say(
        second(Once.apply, x, raise_exception=False),
        second(lambda a: a * 2, x),
        second(torch.exp, x, torch.ones(2, dtype=torch.float64, requires_grad=True)),
    )
    say(second(lambda a: (a.sin(), a.cos()), x, gen_non_contig_grad_outputs=True))


def gradcheck_names_what_went_wrong(torch: Any, say: Any) -> None:
    check = torch.autograd.gradcheck

    def off(x: Any) -> Any:
        y = x.clone()
        y.register_hook(lambda g: g + 1e-2)
        return y

    def grows(x: Any) -> Any:
        return torch.cat([x, x]) if bool((x >= 1).all()) else x

    def narrows(x: Any) -> Any:
        return x.to(torch.float32) if bool((x >= 1).all()) else x

    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    for function in (off, grows, narrows):
        for fast in (False, True):
            say.error(lambda function=function, fast=fast: check(function, x, fast_mode=fast, atol=1e-6))
    say(check(off, x, raise_exception=False))
    say.error(lambda: check(grows, x, raise_exception=False))
    say(check(lambda x: (), x))


def gradcheck_asks_forward_mode(torch: Any, say: Any) -> None:
    calls = []

    class Twins(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x.clone(), y.clone()

        @staticmethod
        def jvp(ctx: Any, x: Any, y: Any) -> Any:
            calls.append(1)
            return x, y

    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    y = torch.ones(1, dtype=torch.float64, requires_grad=True)
    for undefined, batched in ((False, False), (True, False), (True, True)):
        for second in (y, y.detach()):
            calls.clear()
            torch.autograd.gradcheck(
                Twins.apply,
                (x, second),
                check_forward_ad=True,
                check_backward_ad=False,
                check_undefined_grad=undefined,
                check_batched_forward_grad=batched,
            )
            say(undefined, batched, second.requires_grad, len(calls))


def gradcheck_finds_wrong_tangents(torch: Any, say: Any) -> None:
    forward_ad = torch.autograd.forward_ad

    def bent(x: Any, y: Any) -> Any:
        if forward_ad._current_level >= 0:
            say(x.requires_grad, y.requires_grad) if not told else None
            told.append(1)
            value, tangent = forward_ad.unpack_dual(y)
            y = forward_ad.make_dual(value, tangent * 1.1)
        return x + y, y

    told: list[int] = []
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    say.error(lambda: torch.autograd.gradcheck(bent, (x, y), check_forward_ad=True))
    say(forward_ad._current_level)


def gradcheck_in_parts(torch: Any, say: Any) -> None:
    import importlib

    parts = importlib.import_module(f"{torch.__package__}.autograd.gradcheck")
    a = torch.ones(2, dtype=torch.float64, requires_grad=True)
    b = torch.ones(2, dtype=torch.float64, requires_grad=True)
    say(*parts.get_numerical_jacobian(lambda pair: (2 * pair[0] + pair[1], pair[0]), (a, b), eps=1e-6))
    jacobians, *agreement = parts.get_analytical_jacobian((a, b), 2 * a + b)
    say(*jacobians, *agreement)
    say.error(lambda: parts.get_numerical_jacobian(lambda pair: pair[0], (a, b), grad_out=2.0))


def activations_in_place_that_fold(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    calls = {
        "leaky_relu_": lambda x: functional.leaky_relu_(x, -2), "leaky_relu": lambda x: functional.leaky_relu(x, -2),
        "flat": lambda x: functional.leaky_relu_(x, 0.0), "elu_": lambda x: functional.elu_(x, alpha=-2),
        "elu": lambda x: functional.elu(x, alpha=-2), "celu_": lambda x: functional.celu_(x, alpha=-2),
        "celu": lambda x: functional.celu(x, alpha=-2), "rrelu_": lambda x: functional.rrelu_(x, -5.0, 1.0),
        "rrelu": lambda x: functional.rrelu(x, -5.0, 1.0), "rrelu_ up": lambda x: functional.rrelu_(x, 0.1, 0.3),
    }  # fmt: skip
    for name, call in calls.items():
        leaf = torch.tensor([-1.0, 1.0], requires_grad=True)
        out = call(leaf.clone())
        say(name, out, out.grad_fn)
        say.error(lambda out=out: out.sum().backward())
        say(leaf.grad)


def slopes_at_the_edge(torch: Any, say: Any) -> None:
    for p in (0.3, 0.5, 1.0, 1.5, 3.0):
        x = torch.tensor([[1.0, 2.0], [2.0, 2.0], [1.0, 2.0]], requires_grad=True)
        torch.pdist(x, p=p).sum().backward()
        y = torch.tensor([[1.0, 2.0]], requires_grad=True)
        torch.cdist(y, torch.tensor([[2.0, 2.0]]), p=p).sum().backward()
        say(p, x.grad, y.grad)
    exponent = torch.tensor([0.5 + 1j, 2 - 1j], dtype=torch.complex128, requires_grad=True)
    for base in (torch.tensor([-1.0, 2.0], dtype=torch.float64), torch.tensor(-3.0), -1):
        (slope,) = torch.autograd.grad(torch.pow(base, exponent).abs().sum(), exponent)
        say(slope.imag)
    for mode in ("trunc", "floor", None):
        a, b = torch.tensor([7.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
        out = torch.div(a, b, rounding_mode=mode)
        say(out, out.grad_fn, out.grad_fn._saved_rounding_mode, torch.autograd.grad(out, (a, b)))
        number = torch.div(a, 2.0, rounding_mode=mode).grad_fn
        say(number._saved_self, number._saved_other)


def products_into_places_twice(torch: Any, say: Any) -> None:
    for source in ([0.0, 0.0], [0.0, 2.0], [3.0, 2.0]):
        own = torch.tensor([1.0], requires_grad=True)
        given = torch.tensor(source, requires_grad=True)
        for reduce in (torch.scatter_reduce, torch.index_reduce):
            out = reduce(own, 0, torch.tensor([0, 0]), given, "prod")
            slopes = torch.autograd.grad(out.sum(), (own, given), create_graph=True)
            say(slopes, slopes[1].grad_fn.name())
            say.error(lambda slopes=slopes: torch.autograd.grad(sum(s.sum() for s in slopes), (own, given)))


def trial_operators(torch: Any, say: Any) -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    for call in (
        lambda: torch._test_autograd_multiple_dispatch(x), lambda: torch._test_autograd_multiple_dispatch(x, True),
        lambda: torch._test_autograd_multiple_dispatch_view(x), lambda: torch._test_autograd_multiple_dispatch_view_copy(x),
    ):  # fmt: skip
        out = call()
        say(out, out._is_view(), out.grad_fn, torch.autograd.grad(out.sum(), x))


def gradgradcheck_asks_forward_over_reverse(torch: Any, say: Any) -> None:
    check = torch.autograd.gradgradcheck
    x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
    say(check(lambda a: a**3, x, check_fwd_over_rev=True))
    say(check(lambda a: a**3, x, check_fwd_over_rev=True, check_rev_over_rev=False, check_undefined_grad=False))
    say.error(lambda: check(lambda a: a**3, x, check_fwd_over_rev=True, check_rev_over_rev=False))
    say.error(lambda: check(lambda a: a**3, x, check_rev_over_rev=False))


def complex_factors_and_filters(torch: Any, say: Any) -> None:
    def leaf(*shape: int) -> Any:
        return torch.randn(*shape, dtype=torch.complex128).requires_grad_()

    a, b, v, w = leaf(2, 2), leaf(2, 2), leaf(2), leaf(2)
    options = {"beta": 2.0, "alpha": 1j}
    products = (
        torch.addmm(a, a, b, **options),
        torch.baddbmm(a[None], a[None], b[None], **options),
        torch.addbmm(a, a[None], b[None], **options),
        torch.addmv(v, a, w, **options),
        torch.addr(a, v, w, **options),
        torch.addmm(a, a, b, beta=1j),
    )
    line, filters = leaf(1, 1, 4), leaf(1, 1, 2)
    convolutions = (
        torch.nn.functional.conv1d(line, filters),
        torch.nn.functional.conv_transpose1d(line, filters, stride=2),
        torch.nn.functional.conv2d(a[None, None], b[None, None]),
    )
    for out in (*products, *convolutions):
        leaves = (a, b, v, w, line, filters)
        first = torch.autograd.grad(
            out.sum() * (1 + 2j),
            leaves,
            torch.tensor(1 + 0j, dtype=torch.complex128),
            create_graph=True,
            allow_unused=True,
        )
        size = sum((g.abs() ** 2).sum() for g in first if g is not None)
        second = torch.autograd.grad(size, leaves, allow_unused=True)
        say(*[None if g is None else torch.view_as_real(g.resolve_conj()).sum(-1) for g in (*first, *second)])


def lengths_of_complex_numbers(torch: Any, say: Any) -> None:
    a = torch.randn(2, 3, dtype=torch.complex128).requires_grad_()
    b = torch.randn(2, 3, dtype=torch.complex128).requires_grad_()
    for p in (2, 1, 3, float("inf")):
        out = torch.dist(a, b, p)
        say(out, *[torch.view_as_real(g).sum(-1) for g in torch.autograd.grad(out, (a, b))])
    for limit in (1.0, 100.0):
        out = a.renorm(2, 0, limit)
        (slope,) = torch.autograd.grad(out, a, torch.full_like(out, 1 + 2j))
        say(torch.view_as_real(slope).sum(-1))
    say(torch.dist(torch.ones(2, dtype=torch.bfloat16), torch.zeros(2, dtype=torch.bfloat16)).dtype)


def a_dim_of_none_is_another_overload_than_none_at_all(torch: Any, say: Any) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    for result in (
        x.sum(),
        x.sum(dim=None),
        x.sum(None),
        torch.sum(x, axis=None),
        x.mean(),
        x.mean(dim=None),
        x.mean(None),
    ):
        say(result.grad_fn, getattr(result.grad_fn, "_saved_dim", "no dim"))
    for result in (x.std(), x.std(dim=None), x.var(None), x.var(False), torch.std_mean(x, dim=None)[0]):
        say(result.grad_fn, result.grad_fn._saved_correction, result.grad_fn._saved_dim)
    say.error(lambda: x.sum(keepdim=True))
    say.error(lambda: x.mean(keepdim=True))
    say(torch.autograd.grad(x.sum(dim=None), x), torch.autograd.grad(x.mean(dim=None), x))


def the_outer_eigenpairs_of_a_matrix_and_their_derivatives(torch: Any, say: Any) -> None:
    corner = torch.arange(36, dtype=torch.float64).reshape(6, 6).cos()
    matrix = (torch.diag(torch.arange(1.0, 7.0).double()) + 0.1 * (corner + corner.T)).requires_grad_()
    start = torch.eye(6, 2, dtype=torch.float64)
    for largest in (True, False):
        values, vectors = torch.lobpcg(matrix, X=start, largest=largest)
        total = (values * torch.tensor([1.0, 3.0])).sum() + (vectors**2 * torch.arange(12.0).reshape(6, 2)).sum()
        (gradient,) = torch.autograd.grad(total, matrix, create_graph=True)
        say(values, values.grad_fn.name(), vectors.detach() ** 2)
        say(gradient.detach(), torch.autograd.grad((gradient**2).sum(), matrix)[0])
    weights = torch.eye(6, dtype=torch.float64) * torch.arange(1, 7)
    values, vectors = torch.lobpcg(matrix, k=1, B=weights)
    say(values.detach(), (vectors.mT @ weights @ vectors).detach())
    say.error(values.sum().backward)
    say.error(lambda: torch.lobpcg(matrix, k=3))
    say.error(lambda: torch.lobpcg(torch.ones(3, 4)))
    say.error(lambda: torch.lobpcg(torch.eye(6, dtype=torch.long)))
    torch.manual_seed(3)
    torch.lobpcg(matrix.detach(), k=2)
    say(torch.rand(1))


def gradcheck_runs_function_and_backward_as_often(torch: Any, say: Any) -> None:
    runs: list[str] = []

    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            runs.append("f")
            ctx.save_for_backward(a, b)
            return a * b, a + b

        @staticmethod
        def backward(ctx: Any, product: Any, total: Any) -> Any:
            runs.append("b")
            a, b = ctx.saved_tensors
            return product * b + total, product * a + total

    def first(a: Any, b: Any) -> Any:
        return Both.apply(a, b)[0]

    def plain(a: Any) -> Any:
        runs.append("p")
        return a * a

    a = torch.tensor([0.3, -1.2], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([1.7, 0.4], dtype=torch.float64, requires_grad=True)
    z = torch.tensor([1 - 2j], dtype=torch.complex128, requires_grad=True)
    check, check_twice = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    for verdict in (
        lambda: check(Both.apply, (a, b)),
        lambda: check(Both.apply, (a, b), check_undefined_grad=False),
        lambda: check(first, (a, b)),
        lambda: check_twice(first, (a, b), (b,)),
        lambda: check(plain, z),
        lambda: check(plain, a, check_forward_ad=True),
        lambda: check(plain, a, check_forward_ad=True, check_backward_ad=False),
        lambda: check(plain, a, check_batched_grad=True),
    ):
        say(verdict(), "".join(runs))
        runs.clear()
