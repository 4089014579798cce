"""Stories about gradients themselves: how they add up, lie in memory, are shared, and what they may be."""

from __future__ import annotations

from typing import Any


def accumulation(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    say(x.grad is first, x.grad, x.grad._version, x.grad.requires_grad)
    (x * x).sum().backward(create_graph=True)
    say(x.grad is first, x.grad, x.grad._version, first)
    held = x.grad
    (x * x).sum().backward()
    say(x.grad is held)
    x.grad = None
    g = torch.ones(2)
    (x * 1).backward(g)
    say(x.grad is g, x.grad.data_ptr() == g.data_ptr())
    g.zero_()
    say(x.grad)


def gradient_layout_and_sharing(torch: Any, say: Any) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    x.t().backward(torch.arange(6.0).reshape(3, 2))
    say(x.grad, x.grad.stride(), x.grad.is_contiguous())
    y = torch.ones(3, 2).t().requires_grad_()
    (y * 2).sum().backward()
    say(y.grad.stride())
    z = torch.ones(3, requires_grad=True)
    z.sum().backward()
    say(z.grad.stride(), z.grad.is_contiguous())
    w = torch.ones(2, requires_grad=True)
    v = torch.ones(2, requires_grad=True)
    seed = torch.tensor([1.0, 2.0])
    (w + v).backward(seed)
    say(w.grad.data_ptr() == v.grad.data_ptr(), w.grad.data_ptr() == seed.data_ptr())


def accumulating_into_an_assigned_gradient(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.tensor([10.0, 20.0])
    mine = x.grad
    (x * 2).sum().backward()
    say(mine, x.grad is mine)
    x.grad = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    say(x.grad)


def broadcasting_undone(torch: Any, say: Any) -> None:
    a = torch.ones(3, 1, requires_grad=True)
    b = torch.ones(1, 4, requires_grad=True)
    c = torch.ones((), requires_grad=True)
    (a * b * c).sum().backward()
    say(a.grad, b.grad, c.grad)
    d = torch.ones(0, 3, requires_grad=True)
    e = torch.ones(3, requires_grad=True)
    (d + e).sum().backward()
    say(d.grad.shape, e.grad)


def types_in_backward(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    (x.double() * 2).sum().backward()
    say(x.grad)
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (y.float() * y).sum().backward()
    say(y.grad)
    x.grad = None
    (x * 2).backward(torch.ones(2, dtype=torch.float64))
    say(x.grad)
    z = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    say.error(lambda: z.sum().backward())
    z.abs().sum().backward()
    say(z.grad)
    say.error(lambda: (z * 2).backward(torch.ones(2)))
    w = torch.ones(2, requires_grad=True)
    (w * z.detach()).abs().sum().backward()
    say(w.grad)


def values_that_are_not_finite(torch: Any, say: Any) -> None:
    x = torch.tensor([0.0, -1.0, float("inf"), float("nan")], requires_grad=True)
    x.sqrt().sum().backward()
    say(x.grad)
    x.grad = None
    (x * 0).sum().backward()
    say(x.grad)
    y = torch.tensor([0.0], requires_grad=True)
    torch.where(y > 0, y.log(), y).sum().backward()
    say(y.grad)
    z = torch.tensor([0.0], requires_grad=True)
    z.norm().backward()
    say(z.grad)


def undefined_gradients_pass(torch: Any, say: Any) -> None:
    class Stop(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return None

    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: say("never", g))
    Stop.apply(y).sum().backward()
    say(x.grad)
    a = x * 3
    (Stop.apply(a) + a).sum().backward()
    say(x.grad)
    for operation in (
        torch.exp,
        torch.neg,
        lambda t: t @ t,
        lambda t: t.view(1, 2),
        lambda t: torch.cat([t, t]),
        lambda t: t.sum(),
        lambda t: t * t,
    ):
        x.grad = None
        Stop.apply(operation(x)).sum().backward()
        say(x.grad)


def sparse_and_strange_gradients(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.clone()
    y.requires_grad_()
    z = torch.zeros(2)
    z.requires_grad = True
    say(z.grad_fn, y.grad_fn.name())
    (z + y).sum().backward()
    say(x.grad, z.grad)


def gradients_of_another_dtype(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    say(x.grad_dtype)
    x.grad_dtype = torch.float64
    (x * 2).sum().backward()
    say(x.grad)
    say.error(lambda: setattr(x, "grad_dtype", 5))


def sums_of_many_terms(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = sum([x * i for i in range(5)])
    y.sum().backward()
    say(x.grad)
    s = torch.stack([x * 2, x]).unbind(0)
    (s[0] + s[1]).sum().backward()
    say(x.grad)


def a_gradient_that_nobody_holds_becomes_the_leafs_own(torch: Any, say: Any) -> None:
    def addresses(*, held: bool) -> list[int]:
        a, b = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
        seen, kept = {}, []

        def hook(name: str) -> Any:
            def note(gradient: Any) -> None:
                seen[name] = gradient.data_ptr()
                kept.extend([gradient] if held else [])

            return note

        a.register_hook(hook("a"))
        b.register_hook(hook("b"))
        (a * b * 2).sum().backward()
        return [a.grad.data_ptr() == seen["a"], b.grad.data_ptr() == seen["b"], a.grad.data_ptr() == b.grad.data_ptr()]

    say(addresses(held=False), addresses(held=True))
    seed, leaf = torch.ones(2), torch.ones(2, requires_grad=True)
    leaf.backward(seed)
    say(leaf.grad.data_ptr() == seed.data_ptr())


def two_leaves_never_share_one_gradient(torch: Any, say: Any) -> None:
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (a + b).backward(torch.ones(2))
    say(a.grad.data_ptr() == b.grad.data_ptr())
    a.grad.zero_()
    say(a.grad, b.grad)


def a_hook_after_accumulation_sees_what_a_hook_before_it_changed(torch: Any, say: Any) -> None:
    leaf = torch.ones(3, requires_grad=True)
    node = leaf.view_as(leaf).grad_fn.next_functions[0][0]
    leaf.register_hook(lambda g: g - 2)
    node.register_prehook(lambda gradients: (gradients[0] / 5,))
    leaf.register_post_accumulate_grad_hook(lambda t: say(t.grad.add_(0.5)))
    node.register_hook(lambda messages, gradients: say(messages, gradients))
    leaf.sum().backward()
    say(leaf.grad)


def gradients_lie_as_their_leaves_do_unless_that_is_relaxed(torch: Any, say: Any) -> None:
    class Rows(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return torch.ones(3, 2)

    for enforced in (True, False):
        leaf = torch.ones(2, 3).t().requires_grad_()
        with torch.autograd.enforce_grad_layout_policy(enforced):
            Rows.apply(leaf).sum().backward()
        say(leaf.stride(), leaf.grad.stride())


def leaves_share_a_gradient_that_is_a_view_of_one_number(torch: Any, say: Any) -> None:
    def shared(a: Any, b: Any) -> Any:
        return a.grad.untyped_storage().data_ptr() == b.grad.untyped_storage().data_ptr()

    for join in (
        lambda a, b: a.sum() + b.sum(),
        lambda a, b: a + b,
        lambda a, b: a.sum() + (b + 1).sum(),
        lambda a, b: a.sum() * 2 + b.sum(),
        lambda a, b: a.sum() - b.sum(),
    ):
        a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
        loss = join(a, b)
        loss.backward(retain_graph=True)
        loss.backward()
        say(a.grad, b.grad, shared(a, b))
    m, n = torch.ones(2, 3, requires_grad=True), torch.ones(6, requires_grad=True)
    ((m.view(6) + n.view(6)) * torch.ones(6)).sum().backward()
    say(shared(m, n))


def clipping_asks_results_for_gradients_by_name(torch: Any, say: Any) -> None:
    leaf = torch.ones(2, requires_grad=True)
    result = leaf * 2
    leaf.grad = torch.ones(2)
    say(torch.nn.utils.clip_grad_norm_([result], 0.5))
    say(torch.nn.utils.clip_grad_norm_([leaf, result], 0.5), leaf.grad)
    say(torch.nn.utils.get_total_norm([result]), torch.nn.utils.clip_grads_with_norm_([result], 1.0, torch.tensor(1.0)))


def gradients_of_a_dictionary_come_back_as_one_batched_or_not(torch: Any, say: Any) -> None:
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    total = (x * 2 + y * y).sum()
    say(torch.autograd.grad(total, {"x": x, 1: y}, retain_graph=True))
    say(
        torch.autograd.grad(total, {"x": x, 1: y}, grad_outputs=torch.ones(3), is_grads_batched=True, retain_graph=True)
    )
    say(torch.autograd.grad(x.sum(), {"x": x, "y": y}, materialize_grads=True))
    say.error(lambda: torch.autograd.grad(total, {}))


def batched_gradients_draw_no_random_numbers(torch: Any, say: Any) -> None:
    class Noisy(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * 2 + torch.rand_like(gradient) * 0

    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    say.error(
        lambda: torch.autograd.grad(Noisy.apply(x), x, torch.ones(3, 2, dtype=torch.float64), is_grads_batched=True)
    )
    say.error(lambda: torch.autograd.gradcheck(Noisy.apply, (x,), check_batched_grad=True))


def leaves_share_a_number_that_is_spread_over_them(torch: Any, say: Any) -> None:
    def leaf(*shape: int) -> Any:
        return torch.ones(shape, requires_grad=True)

    def places(*leaves: Any) -> tuple[int, list[Any]]:
        found = {tensor.grad.untyped_storage().data_ptr() for tensor in leaves}
        return len(found), [(tensor.grad.stride(), tensor.grad.storage_offset()) for tensor in leaves]

    for function in (
        lambda a, b: torch.stack([a, b]).sum(), lambda a, b: torch.stack([a, b]).mean(), lambda a, b: torch.hstack([a, b]).sum(),
        lambda a, b: torch.stack([a, b])[None].sum(), lambda a, b: torch.stack([a, b]).expand(3, 2).sum(), lambda a, b: a + b,
    ):  # fmt: skip
        a, b = leaf(), leaf()
        for _ in range(2):
            function(a, b).backward()
        say(places(a, b), a.grad, b.grad)
        a.grad.zero_()
        say(b.grad)
    for shape in ((1,), (1, 1), (2,), (1, 3)):
        a, b = leaf(*shape), leaf(*shape)
        (a + b).sum().backward()
        say(places(a, b))
        a, b = leaf(*shape), leaf(*shape)
        torch.stack([a, b]).sum().backward()
        say(places(a, b))
