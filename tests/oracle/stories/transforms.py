"""Stories about ``torch.func``."""

from __future__ import annotations

from typing import Any


def gradients(torch: Any, say: Any) -> None:
    f = torch.func
    x, y = torch.tensor(2.0), torch.tensor([1.0, 2.0])
    say(f.grad(torch.sin)(x), f.grad(f.grad(torch.sin))(x), f.grad(lambda a: (a**2).sum())(y))
    say(f.grad(lambda a, b: (a * b).sum(), argnums=1)(x, y), f.grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, y))
    say(f.grad(lambda a: ((a**2).sum(), a * 2), has_aux=True)(y))
    say(
        f.grad_and_value(lambda a: (a**2).sum())(y),
        f.grad_and_value(lambda a: ((a**2).sum(), {"k": a}), has_aux=True)(y),
    )
    say(f.grad(lambda d: (d["a"] * d["b"]).sum())({"a": y, "b": y * 2}))
    say(f.grad(lambda a, k=1: (a * k).sum())(y, k=3))
    say(f.grad(lambda a: torch.ones(()))(y), f.grad(torch.sin)(x).requires_grad)
    say(f.grad(lambda a, b: (a * b).sum(), argnums=-1)(x, y))


def gradient_refusals(torch: Any, say: Any) -> None:
    f = torch.func
    y = torch.ones(2)
    say.error(lambda: f.grad(lambda a: a)(y))
    say.error(lambda: f.grad(lambda a: 1)(y))
    say.error(lambda: f.grad(lambda a: (a.sum(), a))(y))
    say.error(lambda: f.grad(lambda a: a.sum(), has_aux=True)(y))
    say.error(lambda: f.grad(lambda a: a.sum(), argnums=1)(y))
    say.error(lambda: f.grad(lambda a: a.sum(), argnums=(0, 0))(y))
    say.error(lambda: f.grad(lambda a: a.sum())(5))
    say.error(lambda: f.grad(lambda a: a.sum(), argnums="x")(y))
    say.error(lambda: f.grad(lambda a: a.sum())(torch.ones(2, dtype=torch.int64)))
    say.error(lambda: f.grad(lambda a: a.sum().backward())(y))
    say.error(lambda: f.vjp(lambda a: 1, y))
    say.error(lambda: f.jvp(lambda a: a, y, y))
    say.error(lambda: f.jvp(lambda a: a, (y,), (torch.ones(3),)))
    say.error(lambda: f.jvp(lambda a: a, (y,), ()))
    say.error(lambda: f.jacrev(lambda a: 1)(y))


def products(torch: Any, say: Any) -> None:
    f = torch.func
    y, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])
    out, pull = f.vjp(lambda a: a**2, y)
    say(out, pull(v), pull(v))
    out, pull = f.vjp(lambda a, b: (a * b, {"s": a.sum()}), y, v)
    say(out, pull((v, {"s": torch.tensor(1.0)})))
    out, pull, aux = f.vjp(lambda a: (a**2, a + 1), y, has_aux=True)
    say(out, aux)
    say.error(lambda: pull(torch.ones(3)))
    say.error(lambda: pull((v, v)))
    say(f.jvp(lambda a: a**2, (y,), (v,)), f.jvp(lambda a, b: (a * b, a), (y, v), (v, v)))
    say(f.jvp(lambda a: (a**2, a), (y,), (v,), has_aux=True))
    out, push = f.linearize(lambda a: a**3, y)
    say(out, push(v))


def jacobians_and_hessians(torch: Any, say: Any) -> None:
    f = torch.func
    y = torch.tensor([1.0, 2.0])
    for name in ("jacrev", "jacfwd"):
        j = getattr(f, name)
        say(j(lambda a: a**2)(y), j(lambda a: (a**2, a.sum()))(y), j(lambda a, b: a * b, argnums=(0, 1))(y, y * 3))
        say(j(lambda a: (a**2, a), has_aux=True)(y), j(torch.sin)(torch.tensor(1.0)), j(lambda a: {"k": a * 2})(y))
        say(j(lambda d: d["a"] * 2)({"a": y}))
    say(
        f.hessian(lambda a: (a**3).sum())(y),
        f.jacrev(f.jacfwd(lambda a: a.prod()))(y),
        f.hessian(lambda a, b: (a * b).sum() ** 2, argnums=(0, 1))(y, y),
    )
    say(f.jacrev(lambda a: a**2, chunk_size=1)(y), f.jacfwd(lambda a: a**2, randomness="same")(y))
    say.error(lambda: f.jacrev(lambda a: a**2, chunk_size=0)(y))


def nesting(torch: Any, say: Any) -> None:
    f = torch.func
    x = torch.tensor(1.5)
    say(f.grad(lambda a: a * f.grad(lambda b: a * b * b)(a))(x))
    say(f.grad(lambda a: f.jvp(lambda b: b**3, (a,), (torch.ones(()),))[1])(x))
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    g = f.grad(lambda a: (a**3).sum())(y)
    say(g.requires_grad)
    g.sum().backward()
    say(y.grad)
    w = torch.tensor(3.0, requires_grad=True)
    g = f.grad(lambda a: (a * w) ** 2)(x)
    g.backward()
    say(w.grad)


def detached_and_no_grad_inside(torch: Any, say: Any) -> None:
    f = torch.func
    y = torch.tensor([1.0, 2.0])
    say(f.grad(lambda a: (a * a.detach()).sum())(y))

    def partly(a: Any) -> Any:
        with torch.no_grad():
            b = a**2
        return (a * b).sum()

    say(f.grad(partly)(y))
    with torch.no_grad():
        say(f.grad(lambda a: (a**2).sum())(y))
    say(f.grad(lambda a: (a**2).sum() if a.sum() > 0 else a.sum())(y))
    say(f.grad(lambda a: float(a.sum()) * a.sum())(y))


def batches(torch: Any, say: Any) -> None:
    f = torch.func
    m = torch.arange(6.0).reshape(2, 3)
    v = torch.tensor([1.0, 2.0, 3.0])
    say(f.vmap(torch.sin)(m), f.vmap(torch.dot, (0, None))(m, v), f.vmap(lambda a: a.sum(), in_dims=1)(m))
    say(f.vmap(lambda a: (a, a.sum()), out_dims=(1, 0))(m), f.vmap(lambda a, b: a * b)(m, m))
    say(f.vmap(lambda d: d["a"] * 2)({"a": m}), f.vmap(lambda a: {"k": a})(m))
    say(f.vmap(f.grad(lambda a: (a**2).sum()))(m), f.vmap(lambda a: a + 1, chunk_size=1)(m))
    say(f.vmap(f.vmap(lambda a: a * 2))(m), f.vmap(lambda a: v)(m), f.vmap(lambda a: a.shape[0] + a)(m))
    say(torch.vmap(lambda a: a @ m.T)(m), f.vmap(lambda a, k=1: a * k)(m, k=2))
    say(f.vmap(lambda a: torch.stack([a, a]))(m).shape, f.vmap(lambda a: a.reshape(1, 3).expand(2, 3))(m).shape)
    say(f.vmap(lambda a: torch.where(a > 1, a, 0 * a))(m), f.vmap(lambda a: a.softmax(0).sum())(m))
    say(
        f.vmap(lambda a: a[0])(m), f.vmap(lambda a: a.sort(descending=True)[0])(m), f.vmap(lambda a: a.max(0).values)(m)
    )


def batch_refusals(torch: Any, say: Any) -> None:
    f = torch.func
    m = torch.arange(6.0).reshape(2, 3)
    for call in (
        lambda: f.vmap(torch.sin)(torch.tensor(1.0)), lambda: f.vmap(torch.add)(m, torch.ones(3)), lambda: f.vmap(torch.sin)(5),
        lambda: f.vmap(torch.sin, in_dims=2)(m), lambda: f.vmap(torch.sin, in_dims=None)(m), lambda: f.vmap(torch.add, in_dims=(0,))(m, m),
        lambda: f.vmap(torch.sin, in_dims="x")(m), lambda: f.vmap(lambda a: 5)(m), lambda: f.vmap(lambda a: None)(m), lambda: f.vmap(lambda a: (a, 1))(m),
        lambda: f.vmap(torch.sin, out_dims=5)(m), lambda: f.vmap(torch.sin, out_dims=(0, 0))(m), lambda: f.vmap(torch.sin, out_dims="x")(m),
        lambda: f.vmap(lambda a: a.sum().item())(m), lambda: f.vmap(lambda a: a if a.sum() > 0 else -a)(m), lambda: f.vmap(torch.sin)(),
        lambda: f.vmap(lambda a: a + torch.rand(3))(m), lambda: f.vmap(torch.sin, randomness="x")(m), lambda: f.vmap(torch.sin, chunk_size=0)(m),
        lambda: f.vmap(lambda a: float(a.sum()) * a)(m), lambda: f.vmap(torch.nn.functional.dropout)(m), lambda: f.vmap(lambda a: a, out_dims=None)(m),
        lambda: f.vmap(torch.sin, in_dims=-3)(m), lambda: f.vmap(torch.sin, in_dims=[0])(m), lambda: f.vmap(lambda a, b: a, in_dims={"a": 0})(m, m),
    ):  # fmt: skip
        say.error(call)


def batches_and_randomness(torch: Any, say: Any) -> None:
    f = torch.func
    m = torch.zeros(3, 2)
    same = f.vmap(lambda a: a + torch.rand(2), randomness="same")(m)
    say(bool((same[0] == same[1]).all()))
    different = f.vmap(lambda a: a + torch.rand(2), randomness="different")(m)
    say(bool((different[0] == different[1]).all()))


def per_example_gradients(torch: Any, say: Any) -> None:
    f = torch.func
    torch.manual_seed(0)
    layer = torch.nn.Linear(2, 1)
    parameters = dict(layer.named_parameters())
    x, t = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0], [0.0]])

    def loss(p: Any, a: Any, b: Any) -> Any:
        return ((f.functional_call(layer, p, (a,)) - b) ** 2).mean()

    say(f.grad(loss)(parameters, x, t))
    say(f.vmap(f.grad(loss), in_dims=(None, 0, 0))({k: v.detach() for k, v in parameters.items()}, x, t))
    say(loss({k: v.detach() for k, v in parameters.items()}, x, t))


def ensembles(torch: Any, say: Any) -> None:
    f = torch.func
    torch.manual_seed(0)
    models = [torch.nn.Linear(2, 1) for _ in range(3)]
    parameters, buffers = f.stack_module_state(models)
    say({k: v.shape for k, v in parameters.items()}, buffers, parameters["weight"].requires_grad)
    x = torch.ones(2)
    out = f.vmap(lambda p, b: f.functional_call(models[0], (p, b), (x,)))(parameters, buffers)
    say(out.detach(), torch.stack([m(x) for m in models]).detach())
    say.error(lambda: f.stack_module_state([]))
    say.error(lambda: f.stack_module_state([models[0], torch.nn.Linear(2, 1).eval()]))
    say.error(lambda: f.stack_module_state([models[0], torch.nn.ReLU()]))


def functional_calls(torch: Any, say: Any) -> None:
    f = torch.func
    net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.ReLU())
    new = {"0.weight": torch.tensor([[2.0]]), "0.bias": torch.tensor([1.0])}
    say(f.functional_call(net, new, torch.ones(1)), f.functional_call(net, new, (torch.ones(1),)))
    say(f.functional_call(net, [{"0.weight": torch.zeros(1, 1)}, {"0.bias": torch.zeros(1)}], torch.ones(1)))
    say.error(lambda: f.functional_call(net, {"1.weight": torch.ones(1)}, torch.ones(1)))
    say.error(lambda: f.functional_call(net, [new, new], torch.ones(1)))
    say.error(lambda: f.functional_call(net, 5, torch.ones(1)))
    say.error(lambda: f.functional_call(net, new, torch.ones(1), strict=True))
    say.error(lambda: f.functional_call(net, {"0.weight": new["0.weight"]}, torch.ones(1), strict=True))


def custom_functions_in_transforms(torch: Any, say: Any) -> None:
    f = torch.func

    class Old(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2 * ctx.saved_tensors[0]

    class New(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any) -> Any:
            return x**2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2 * ctx.saved_tensors[0]

    class Bare(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x**2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2 * ctx.saved_tensors[0]

    x = torch.tensor([1.0, 2.0])
    say.error(lambda: f.grad(lambda a: Old.apply(a).sum())(x))
    say(f.grad(lambda a: New.apply(a).sum())(x), f.grad(lambda a: Bare.apply(a).sum())(x))
    say.error(lambda: f.vmap(Old.apply)(x))
    say.error(lambda: f.vmap(Bare.apply)(x))
    say(f.vmap(New.apply)(x), f.vmap(f.grad(New.apply))(x))


def saved_hooks_are_refused(torch: Any, say: Any) -> None:
    f = torch.func
    x = torch.ones(2)

    def inside(a: Any) -> Any:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            return (a**2).sum()

    say.error(lambda: f.grad(inside)(x))


def in_place_inside(torch: Any, say: Any) -> None:
    f = torch.func
    x = torch.tensor([1.0, 2.0])

    def writes(a: Any) -> Any:
        b = a.clone()
        b.mul_(a)
        b[0] = 5 * a[1]
        return b.sum()

    say(f.grad(writes)(x), f.vmap(lambda a: a.clone().mul_(2))(x))
    say(f.functionalize(lambda a: a.clone().add_(1))(x))


def jvp_through_other_transforms(torch: Any, say: Any) -> None:
    func = torch.func
    x, t = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])

    def written(a: Any) -> Any:
        b = a.clone()
        b[0] = b[1] * 2
        return b.mul_(3)

    calls = [
        torch.sin, func.grad(lambda a: a.exp().sin().sum()), func.grad(lambda a: (a.exp() * a).sum()), func.jacrev(torch.exp),
        lambda a: func.jvp(torch.exp, (a,), (t,))[1], lambda a: func.vjp(torch.sin, a)[1](a)[0], torch.vmap(torch.sin), written,
        lambda a: {"product": a * a, "sum": a.sum()}, lambda a: torch.ones(3), func.hessian(lambda z: (z**3).sum()),
        lambda a: a.softmax(0),
    ]  # fmt: skip
    for call in calls:
        say(func.jvp(call, (x,), (t,)))
    say(x, t)
    say(func.grad(lambda a: func.jvp(torch.sin, (a,), (t,))[1].sum())(x))
    say(torch.vmap(lambda a, b: func.jvp(torch.sin, (a,), (b,))[1])(x, t))
    say(func.jvp(lambda a: (a * 2, a), (x,), (t,), has_aux=True))
    leaf = x.clone().requires_grad_()
    out, moved = func.jvp(torch.sin, (leaf,), (t,))
    say(out.requires_grad, moved.requires_grad, torch.autograd.grad(moved.sum(), leaf))


def jvp_of_custom_functions(torch: Any, say: Any) -> None:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x**3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_forward(*inputs)

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            say("jvp", t)
            return 7 * t

    class Backward(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x**3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None: ...

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    x, t = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])
    say(torch.func.jvp(Cube.apply, (x,), (t,)))
    say.error(lambda: torch.func.jvp(Backward.apply, (x,), (t,)))


def jacfwd_asks_a_functions_own_jvp(torch: Any, say: Any) -> None:
    f, x = torch.func, torch.tensor([1.0, 2.0, 3.0])

    class Both(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any) -> Any:
            return x**3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 100

        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            return tangent * 7 * ctx.saved_tensors[0]

    class Forwards(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any, factor: Any) -> Any:
            return x * factor

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.factor = inputs[1]

        @staticmethod
        def jvp(ctx: Any, tangent: Any, _: Any) -> Any:
            return tangent * ctx.factor * 2

    say(f.jacfwd(Both.apply)(x), f.jacrev(Both.apply)(x))
    say(f.jacfwd(lambda a, b: {"s": Both.apply(a).sum() * b, "p": a * b}, argnums=(0, 1))(x, torch.tensor(2.0)))
    say(f.jacfwd(lambda a: (Both.apply(a), a.sum()), has_aux=True)(x))
    say(f.jacfwd(lambda a: Forwards.apply(a, 3.0))(x), f.jacfwd(lambda d: Both.apply(d["k"]))({"k": x}))
    say(f.vmap(f.jacfwd(Both.apply))(torch.ones(2, 3)))
    say.error(lambda: f.jacrev(lambda a: Forwards.apply(a, 3.0))(x))


def what_is_made_like_an_example_may_be_written_into(torch: Any, say: Any) -> None:
    f, x = torch.func, torch.arange(1.0, 7).reshape(2, 3)
    for function in (
        lambda a: a.new_zeros(3).copy_(a), lambda a: torch.zeros_like(a).add_(a), lambda a: a.new_ones(3).mul_(a),
        lambda a: torch.empty_like(a).copy_(a), lambda a: a.new_full((3,), 2.0).mul_(a),
    ):  # fmt: skip
        say(f.vmap(function)(x))

    def written(a: Any) -> Any:
        b = a.clone()
        b[0].mul_(a[1])
        b[1:].mul_(2)
        return b.prod()

    say(f.vmap(f.grad(written))(x))
    say(f.vmap(f.grad(lambda a: torch.fft.irfft(torch.fft.rfft(a)).pow(2).sum()))(x))
    say(f.vmap(f.grad(lambda a: a.as_strided((2,), (1,)).pow(2).sum()))(x))
    say(f.vmap(f.grad(lambda a: torch.nn.functional.layer_norm(a, (3,)).pow(3).sum()))(x.sin()))
    say(f.vmap(f.grad(lambda a: torch.linalg.qr(torch.outer(a, a) + torch.diag(a))[1].diagonal().abs().sum()))(x))


def an_outermost_gradient_of_inner_gradients_is_outside_the_graph(torch: Any, say: Any) -> None:
    grad, vmap, vjp, jacrev = torch.func.grad, torch.func.vmap, torch.func.vjp, torch.func.jacrev
    p, x = torch.tensor(2.0), torch.tensor([1.0, 3.0])
    tracked = torch.tensor(2.0, requires_grad=True)

    def slope(p: Any) -> Any:
        return grad(lambda v: p * v**2)(x[0])

    def slopes(p: Any) -> Any:
        return vmap(grad(lambda v: torch.tanh(p * v)))(x).sum()

    for function in (slope, slopes):
        say(grad(function)(p), grad(function)(tracked), function(p), function(tracked))
        say(vjp(function, p)[1](torch.ones(())), jacrev(function)(p), grad(grad(function))(p))
    say(grad(lambda p: grad(lambda v: tracked * p * v**2)(x[0]))(p))


def jacfwd_asks_custom_functions_for_a_rule_and_a_jvp(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0])
    for rule, own_jvp, own_vmap in (
        (False, False, False), (False, True, False), (True, False, False), (True, True, False), (False, True, True),
    ):  # fmt: skip

        class Square(torch.autograd.Function):
            generate_vmap_rule = rule

            @staticmethod
            def forward(x: Any) -> Any:
                return x * x

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                ctx.save_for_backward(*inputs)
                ctx.save_for_forward(*inputs)

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return g * 2 * ctx.saved_tensors[0]

        if own_jvp:
            Square.jvp = staticmethod(lambda ctx, t: 2 * ctx.saved_tensors[0] * t)
        if own_vmap:
            Square.vmap = staticmethod(lambda info, in_dims, x, f=Square: (f.apply(x), in_dims[0]))
        for function in (Square.apply, lambda v, f=Square: f.apply(v).sum() + v):
            try:
                say(torch.func.jacfwd(function)(x))
            except (RuntimeError, NotImplementedError) as error:
                say(type(error).__name__, str(error)[:60])
        outside = Square.apply(x.clone().requires_grad_())
        say(torch.func.jacfwd(lambda v, w=outside: v * w)(x).detach())


def a_saved_output_shows_its_transform(torch: Any, say: Any) -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(output)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            say(repr(ctx.saved_tensors[0]))
            return g * 2

    say(torch.func.grad(lambda x: Doubled.apply(x).sum())(torch.ones(2)))
