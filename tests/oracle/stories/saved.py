"""Stories about saved tensors: reading them, hooks on them, writing into them, freeing them."""

from __future__ import annotations

from typing import Any


def saved_attributes_of_operators(torch: Any, say: Any) -> None:
    a = torch.randn(3, requires_grad=True)
    b = torch.ones(3, requires_grad=True)
    y = a * b
    say(y.grad_fn._saved_self is a, y.grad_fn._saved_other is b)
    say(type(y.grad_fn._raw_saved_self).__name__, y.grad_fn._raw_saved_self is y.grad_fn._raw_saved_self)
    e = b.exp()
    say(e.grad_fn._saved_result, e.grad_fn._saved_result is e, e.grad_fn._saved_result.grad_fn is e.grad_fn)
    y.sum().backward()
    say.error(lambda: y.grad_fn._saved_self)
    say.error(lambda: y.grad_fn._raw_saved_self)
    e.sum().backward()
    say.error(lambda: e.grad_fn._saved_result)


def saved_numbers_survive_freeing(torch: Any, say: Any) -> None:
    a = torch.ones(2, 3, requires_grad=True)
    s = a.sum(dim=(0, 1), keepdim=True)
    say(s.grad_fn._saved_dim, s.grad_fn._saved_keepdim, s.grad_fn._saved_self_sym_sizes)
    s.sum().backward()
    say(s.grad_fn._saved_dim)
    p = a.pow(2)
    say(p.grad_fn._saved_exponent, p.grad_fn._saved_self is a)
    t = torch.stack([a, a])
    say(t.grad_fn._saved_dim)
    i = a[torch.tensor([0, 1])]
    say(i.grad_fn._saved_indices, type(i.grad_fn._raw_saved_indices).__name__)
    i.sum().backward()
    say.error(lambda: i.grad_fn._saved_indices)


def raw_saved_hooks(torch: Any, say: Any) -> None:
    a = torch.tensor([2.0], requires_grad=True)
    y = a * a
    y.grad_fn._raw_saved_self.register_hooks(lambda x: (say("pack", x), x * 2)[1], lambda x: (say("unpack", x), x)[1])
    say(y.grad_fn._saved_self)
    y.sum().backward()
    say(a.grad)


def raw_saved_hooks_refuse(torch: Any, say: Any) -> None:
    a = torch.tensor([2.0], requires_grad=True)
    y = a * a
    raw = y.grad_fn._raw_saved_self
    for wrong in ((lambda x: x,), (1, 1)):
        try:
            raw.register_hooks(*wrong)
        except Exception as error:
            say(str(error)[:48])
    say.error(lambda: raw.register_hooks(lambda x: x, lambda x: x))
    say.error(lambda: raw.register_hooks(lambda x: x, lambda x: x))
    y = a * a
    say.error(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda x, b: x, lambda x: x))
    y = a * a
    y.grad_fn._raw_saved_self.register_hooks(lambda x: x, lambda x, b: x)
    say.error(lambda: y.sum().backward())
    y = a * a
    y.grad_fn._raw_saved_self.register_hooks(lambda x: 1, lambda x: x)
    say.error(lambda: y.sum().backward())
    y = a * a
    y.grad_fn._raw_saved_self.register_hooks(lambda x: "x", lambda x: 1)
    say.error(lambda: y.grad_fn._saved_self)
    y = a * a
    say.error(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda x: x.add_(1), lambda x: x))
    say.error(lambda: y.sum().backward())
    y = a * 2
    say.error(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda x: x, lambda x: x))
    y = a * a
    raw = y.grad_fn._raw_saved_self
    y.sum().backward()
    say.error(lambda: raw.register_hooks(lambda x: x, lambda x: x))
    say.error(lambda: type(raw)())


def raw_saved_hooks_of_a_result(torch: Any, say: Any) -> None:
    a = torch.tensor([1.0], requires_grad=True)
    y = a.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda x: (say("pack", x), x)[1], lambda x: x * 0 + 5)
    y.sum().backward()
    say(a.grad)


def default_hooks_nest_innermost_wins(torch: Any, say: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: 2 * x, lambda x: x):
        with torch.autograd.graph.saved_tensors_hooks(lambda x: 3 * x, lambda x: x):
            y = a * a
        z = a * a
    y.sum().backward()
    say(a.grad)
    a.grad = None
    z.sum().backward()
    say(a.grad)


def default_hooks_order_of_calls(torch: Any, say: Any) -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda x: (say("pack", x), x.detach().clone())[1], lambda x: (say("unpack", x), x)[1]
    ):
        y = a * 3
        z = (y * y).exp().sum()
        w = a @ a
        torch.softmax(a, 0)
        torch.where(a > 1, a, y)
    z.backward()
    w.backward()
    say(a.grad)


def default_hooks_only_for_tracked(torch: Any, say: Any) -> None:
    with torch.autograd.graph.saved_tensors_hooks(lambda x: (say("pack"), x)[1], lambda x: x):
        torch.ones(2) * torch.ones(2)
        with torch.no_grad():
            torch.ones(2, requires_grad=True) * torch.ones(2)
        torch.ones(2, requires_grad=True) * torch.ones(2)


def default_hooks_refuse(torch: Any, say: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(lambda x, y: x, lambda x: x):
        say.error(lambda: torch.mul(a, a))
    with hooks(lambda x: x, lambda x, y: x):
        y = a * a
    say.error(lambda: y.sum().backward())
    with hooks(lambda x: 1, lambda x: 1):
        y = a * a
    say.error(lambda: y.sum().backward())
    with hooks(lambda x: x.add_(1), lambda x: x):
        say.error(lambda: a.exp() * a)
    with hooks(lambda x: 1 / 0, lambda x: x):
        say.error(lambda: a * a)
    say.error(lambda: hooks(1, 2).__enter__())
    say.error(lambda: a * a)
    with hooks(lambda x: x, lambda x: x):
        y = a * a
        say.error(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda x: x, lambda x: x))


def default_hooks_with_custom_functions(torch: Any, say: Any) -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            out = x * x
            ctx.save_for_backward(x, out, None)
            return out

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, out, nothing = ctx.saved_tensors
            say("saved", x, out, nothing)
            return g * 2 * x

    a = torch.tensor([3.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda x: (say("pack", x), x)[1], lambda x: (say("unpack"), x * 2)[1]
    ):
        y = Square.apply(a)
    y.sum().backward()
    say(a.grad)


def raw_saved_tensors_of_custom_functions(torch: Any, say: Any) -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2 * ctx.saved_tensors[0]

    a = torch.tensor([3.0], requires_grad=True)
    y = Square.apply(a)
    y.grad_fn._raw_saved_tensors[0].register_hooks(lambda x: x * 2, lambda x: x * 2)
    say(y.grad_fn.saved_tensors, len(y.grad_fn._raw_saved_tensors))
    y.sum().backward()
    say(a.grad)
    say.error(lambda: y.grad_fn.saved_tensors)
    say.error(lambda: y.grad_fn._raw_saved_tensors)


def hooks_disabled(torch: Any, say: Any) -> None:
    graph = torch.autograd.graph
    a = torch.ones(2, requires_grad=True)
    with graph.disable_saved_tensors_hooks("not here"):
        say.error(lambda: graph.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__())
        with graph.disable_saved_tensors_hooks("nor here"):
            say.error(lambda: graph.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__())
        say.error(lambda: graph.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__())
    with graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        say.error(lambda: graph.disable_saved_tensors_hooks("inside").__enter__())
    with graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x):
        y = a * a
    y.sum().backward()
    say(a.grad)

    @graph.disable_saved_tensors_hooks("decorated")
    def f() -> None:
        with graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            pass

    say.error(f)
    graph.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__()
    torch._C._autograd._pop_saved_tensors_default_hooks()


def save_on_cpu_and_friends(torch: Any, say: Any) -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.save_on_cpu():
        y = a * a
        say(y.grad_fn._saved_self is a, y.grad_fn._saved_self, y.grad_fn._saved_self.is_leaf)
    with torch.autograd.graph.save_on_cpu(pin_memory=False):
        z = a.exp()
    (y.sum() + z.sum()).backward()
    say(a.grad)


def saving_hooks_to_a_store(torch: Any, say: Any) -> None:
    store: dict[str, Any] = {}

    def pack(x: Any) -> str:
        name = str(len(store))
        store[name] = x.tolist()
        return name

    a = torch.tensor([2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda name: torch.tensor(store[name])):
        y = a * a
    say(y.grad_fn._saved_self.grad_fn)
    y.sum().backward()
    say(a.grad, len(store))


def double_backward_through_packed(torch: Any, say: Any) -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        y = (a**3).sum()
    (g,) = torch.autograd.grad(y, a, create_graph=True)
    g.sum().backward()
    say(a.grad)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x.detach(), lambda x: x):
        y = (a**3).sum()
    (g,) = torch.autograd.grad(y, a, create_graph=True)
    say(g)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        y = a.exp()
        (g,) = torch.autograd.grad(y.sum(), a, create_graph=True)
    a.grad = None
    g.sum().backward()
    say(a.grad)


def a_written_tensor_is_noticed(torch: Any, say: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    c = b * b
    b.add_(1)
    say.error(lambda: c.grad_fn._saved_self)
    say.error(lambda: c.sum().backward())
    d = a.exp()
    d.mul_(2)
    say.error(lambda: d.sum().backward())
    w = torch.ones(2)
    e = a * w
    w[0] = 3
    say.error(lambda: e.sum().backward())
    u = torch.ones(2, dtype=torch.float64)
    f = a.double() * u
    u.zero_()
    say.error(lambda: f.sum().backward())


def modified_message_in_full(torch: Any, say: Any) -> None:
    for dtype in (torch.float16, torch.float32, torch.float64, torch.complex64, torch.bfloat16):
        a = torch.ones(2, 3, dtype=dtype, requires_grad=True)
        b = a.clone()
        c = b * b
        b.add_(1)
        try:
            c.sum().backward(torch.ones((), dtype=dtype))
        except RuntimeError as error:
            say(str(error)[60:240])


def a_saved_tensor_detached_in_place(torch: Any, say: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    c = b * b
    b.detach_()
    say.error(lambda: c.sum().backward())
    say(b, b.is_leaf)
    d = a.exp()
    node = d.grad_fn
    d.detach_()
    try:
        say(node._saved_result)
    except RuntimeError as error:
        say(str(error)[:60])


def saved_leaf_stays_usable_after_data_assignment(torch: Any, say: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    y = a * a
    a.data = torch.tensor([5.0, 6.0])
    y.sum().backward()
    say(a.grad)


def mutation_allowed_on_saved(torch: Any, say: Any) -> None:
    graph = torch.autograd.graph
    with graph.allow_mutation_on_saved_tensors() as context:
        a = torch.rand(2, 3, requires_grad=True)
        b = a.clone()
        out = (b**2).sum()
        b.sin_()
        out.sum().backward()
        say((a.grad - 2 * a).abs().max() < 1e-6, type(context).__name__)
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x.clone()
        z = y.exp()
        z.mul_(3)
        z.sum().backward()
        say(x.grad)
    say.error(lambda: graph.allow_mutation_on_saved_tensors().__enter__().__enter__())


def mutation_allowed_on_saved_for_views_and_leaves(torch: Any, say: Any) -> None:
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = a.clone()
        v = b[0]
        c = (v * v).sum()
        b.mul_(10)
        c.backward()
        say(a.grad)
        w = torch.tensor([3.0, 4.0])
        a.grad = None
        d = (a * w).sum()
        w.zero_()
        d.backward()
        say(a.grad)

        def nested() -> None:
            with torch.autograd.graph.allow_mutation_on_saved_tensors():
                pass

        say.error(nested)


def inference_tensors_cannot_be_saved(torch: Any, say: Any) -> None:
    with torch.inference_mode():
        i = torch.ones(2)
    a = torch.ones(2, requires_grad=True)
    say.error(lambda: a * i)
    say(a + i)
    say.error(lambda: i.requires_grad_())
    say(i.is_inference(), (i + 1).is_inference(), i[0].is_inference(), i.clone().is_inference())


def what_a_raw_entry_shows(torch: Any, say: Any) -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    e = a.exp()
    y = e * a
    kept, middle, own = y.grad_fn._raw_saved_other, y.grad_fn._raw_saved_self, e.grad_fn._raw_saved_result
    say(kept.data is a, kept.unpack_hook, middle.data is e)
    say(own.data, own.data is e, own.data.requires_grad)
    kept.register_hooks(lambda tensor: "packed", lambda packed: a)
    say(kept.data, kept.unpack_hook is None, kept.unpack() is a)
    say.error(lambda: type(kept)())
    seen = e.grad_fn._saved_result
    with torch.no_grad():
        e += 1
    say(seen, seen._version, e._version)


def copies_are_made_before_a_write(torch: Any, say: Any) -> None:
    allowing = torch.autograd.graph.allow_mutation_on_saved_tensors
    with allowing() as context:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = a.clone()
        first = (b**2).sum()
        say(len(list(context.cloned.items())))
        b.mul_(3)
        say(len(list(context.cloned.items())))
        second, third = b**2, b**2
        b[:1].zero_()
        say(len(list(context.cloned.items())), torch.autograd.grad(second.sum() + third.sum(), a, retain_graph=True))
        first.backward()
        say(len(list(context.cloned.items())), a.grad)
        del second, third
        say(len(list(context.cloned.items())))
        kept, other = torch.tensor([1.0]), torch.tensor([2.0])
        product = a[:1] * kept
        torch.sin(other, out=kept)
        product.backward()
        say(a.grad, kept)
        out = (a**2).sum()
        say.error(lambda: allowing().__enter__())
    say.error(out.backward)


def hooks_get_arguments_by_name_and_results_last(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    a = torch.tensor([[0.5, 1.0, 2.0], [1.5, 0.25, 3.0]], requires_grad=True)
    b, c = (a * 2 + 1).detach().requires_grad_(), torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    m, n, v = torch.ones(2, 4, requires_grad=True), torch.full((4, 3), 0.5, requires_grad=True), torch.ones(4)
    image = torch.arange(50.0).reshape(1, 2, 5, 5).requires_grad_()
    for function in (
        lambda: torch.addmm(a, m, n), lambda: functional.linear(m, n.t(), c), lambda: m @ n, lambda: n.t() @ v,
        lambda: a * b, lambda: a / b, lambda: a**b, lambda: torch.lerp(a, b, a), lambda: torch.atan2(a, b),
        lambda: torch.maximum(a, b), lambda: torch.hypot(a, b), lambda: a.prod(), lambda: a.cumprod(1), lambda: a.std(1),
        lambda: a.norm(), lambda: a.logsumexp(1), lambda: a.amax(1), lambda: a.median(), lambda: a.max(1),
        lambda: functional.layer_norm(a, (3,), c, c), lambda: functional.batch_norm(a, None, None, c, c, True),
        lambda: functional.nll_loss(a, torch.tensor([0, 1]), c.detach()), lambda: functional.max_pool2d(image, 2),
        lambda: torch.cdist(a, b), lambda: torch.baddbmm(a[None], m[None], n[None]), lambda: torch.addr(n, m[0], c),
    ):  # fmt: skip
        packed: list[Any] = []

        def pack(tensor: Any, packed: list[Any] = packed) -> Any:
            packed.append((tuple(tensor.shape), round(float(tensor.detach().double().sum()), 3)))
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            function()
        say(packed)
