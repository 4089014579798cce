"""Stories about in-place writes and views."""

from __future__ import annotations

from typing import Any


def writes_to_leaves(torch: Any, say: Any) -> None:
    x = torch.ones(4, requires_grad=True)
    for call in (
        lambda: x.add_(1),
        lambda: x.zero_(),
        lambda: x[0].add_(1),
        lambda: x.view(2, 2).mul_(2),
        lambda: x.detach().add_(1),
        lambda: x.__setitem__(0, 5),
        lambda: torch.add(x, 1, out=x),
    ):
        say.error(call)
    say(x, x._version)


def writes_move_the_grad_fn(torch: Any, say: Any) -> None:
    a = torch.ones(3, requires_grad=True)
    b = a * 2
    first = b.grad_fn
    b.add_(1)
    say(b.grad_fn is first, b.grad_fn, b._version, b.grad_fn.next_functions)
    b[0] = 5
    say(b.grad_fn, b._version)
    b.zero_()
    say(b.grad_fn, b.grad_fn.next_functions)
    b.sum().backward()
    say(a.grad)


def untracked_becomes_tracked(torch: Any, say: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    t = torch.zeros(3)
    view = t[:2]
    t[:2] = a * 2
    say(t, t.requires_grad, view, view.requires_grad, view.is_leaf)
    view.sum().backward()
    say(a.grad)
    s = torch.zeros(2)
    s.add_(a)
    say(s)
    u = torch.zeros(2, dtype=torch.int64)
    say.error(lambda: u.add_(a))
    say.error(lambda: u.copy_(a))


def views_follow_writes(torch: Any, say: Any) -> None:
    a = torch.ones(2, 2, requires_grad=True)
    b = a.clone()
    v = b[0]
    w = v.view(2, 1)
    v.mul_(3)
    say(v.grad_fn, b.grad_fn, w.grad_fn, b.grad_fn.next_functions, v.grad_fn.next_functions)
    b.add_(1)
    say(v.grad_fn, v, w)
    (w.sum() + b.sum()).backward()
    say(a.grad)


def chains_of_views(torch: Any, say: Any) -> None:
    a = torch.arange(8.0).requires_grad_()
    b = a * 1
    c = b.view(2, 4)
    d = c[1]
    e = d[::2]
    e.mul_(10)
    say(b, e._base is b, e.grad_fn, c.grad_fn, d.grad_fn)
    (b * torch.arange(8.0)).sum().backward()
    say(a.grad)


def several_views_refuse(torch: Any, say: Any) -> None:
    a = torch.arange(4.0).requires_grad_()
    for make in (
        lambda b: b.unbind()[0],
        lambda b: b.split(2)[0],
        lambda b: b.chunk(2)[1],
        lambda b: b.tensor_split(2)[0],
        lambda b: next(iter(b)),
    ):
        b = a * 1
        v = make(b)
        say.error(lambda: v.mul_(2))
        b.mul_(2)
        say.error(lambda: v.grad_fn)
        say.error(lambda: v + 1)
    with torch.no_grad():
        u = a.unbind()[0]
        u.mul_(2)
    say(a)
    plain = torch.ones(4)
    plain.chunk(2)[0].mul_(2)
    say(plain)
    t = torch.ones(4).chunk(2)[0]
    say.error(lambda: t.mul_(a[0]))


def transposes_and_slices(torch: Any, say: Any) -> None:
    a = torch.arange(6.0).reshape(2, 3).requires_grad_()
    b = a.clone()
    b.t()[0] = 7
    b[:, 1].mul_(2)
    b.diagonal().add_(1)
    b[0, ::2] *= 3
    say(b)
    (b * b).sum().backward()
    say(a.grad)


def masked_and_indexed_writes(torch: Any, say: Any) -> None:
    a = torch.arange(4.0).requires_grad_()
    b = a * 1
    b[b > 1] = 0.5
    say(b, b.grad_fn)
    b[torch.tensor([0, 2])] = a[:2] * 3
    say(b, b.grad_fn)
    b.masked_fill_(torch.tensor([True, False, False, False]), 9.0)
    b.index_add_(0, torch.tensor([1]), a[1:2])
    b.scatter_(0, torch.tensor([3]), a[:1])
    b.sum().backward()
    say(b, a.grad)


def writes_after_saving(torch: Any, say: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    for use, write in (
        (lambda t: t.exp(), lambda t, r: r.add_(1)), (lambda t: t.sigmoid(), lambda t, r: t.add_(1)), (lambda t: t.relu(), lambda t, r: r.mul_(2)),
        (lambda t: t + 1, lambda t, r: r.mul_(2)), (lambda t: t**2, lambda t, r: t.mul_(2)), (lambda t: t.sum(), lambda t, r: t.mul_(2)),
        (lambda t: t.view(2), lambda t, r: r.mul_(2)), (lambda t: t.clone(), lambda t, r: t.mul_(2)), (lambda t: t.tanh(), lambda t, r: r.add_(1)),
        (lambda t: t / 2, lambda t, r: t.mul_(2)), (lambda t: t.max(), lambda t, r: t.mul_(2)), (lambda t: t.softmax(0), lambda t, r: r.mul_(2)),
        (lambda t: t.sqrt(), lambda t, r: r.mul_(2)), (lambda t: torch.cat([t, t]), lambda t, r: t.mul_(2)), (lambda t: t @ t, lambda t, r: t.mul_(2)),
    ):  # fmt: skip
        t = a * 1
        r = use(t)
        write(t, r)
        say.error(lambda: r.sum().backward())


def expanded_and_overlapping(torch: Any, say: Any) -> None:
    a = torch.ones(1, requires_grad=True)
    e = (a * 1).expand(3)
    say.error(lambda: e.add_(1))
    say.error(lambda: e.__setitem__(0, 2.0))
    b = torch.arange(4.0)
    say.error(lambda: b[1:].copy_(b[:-1]))
    say.error(lambda: b[1:].add_(b[:-1]))
    say.error(lambda: torch.ones(2).add_(torch.ones(3)))
    say.error(lambda: torch.ones(2).add_(torch.ones(2, 2)))


def as_strided_views(torch: Any, say: Any) -> None:
    a = torch.arange(6.0).requires_grad_()
    b = a * 1
    v = b.as_strided((2, 2), (2, 1), 1)
    v.mul_(2)
    say(b, v, v.grad_fn, b.grad_fn)
    v.sum().backward()
    say(a.grad)
    a.grad = None
    a.as_strided((2, 3), (1, 1)).sum().backward()
    say(a.grad)


def detach_shares_and_counts(torch: Any, say: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    b = a.exp()
    d = b.detach()
    d.zero_()
    say(b, b._version)
    say.error(lambda: b.sum().backward())
    b = a.exp()
    b.data.zero_()
    b.sum().backward()
    say(a.grad)
    say.error(lambda: d.resize_(3) and None)


def swap_and_set(torch: Any, say: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    b = a * 1
    b.copy_(torch.tensor([5.0, 6.0]))
    say(b)
    b.sum().backward()
    say(a.grad)
    c = a * 1
    c.fill_(3)
    say(c.grad_fn)
    e = a * 2
    f = torch.zeros(2)
    f.copy_(e)
    f.sum().backward()
    say(a.grad, f.grad_fn)


def relu_in_place_after_linear(torch: Any, say: Any) -> None:
    layer = torch.nn.Linear(2, 2)
    x = torch.ones(1, 2)
    with torch.no_grad():
        layer.weight.fill_(0.5)
        layer.bias.zero_()
    y = torch.nn.functional.relu(layer(x), inplace=True)
    y.sum().backward()
    say(layer.weight.grad, y.grad_fn)
    z = torch.sigmoid(layer(x))
    z = torch.nn.functional.relu(z, inplace=True)
    say.error(lambda: z.sum().backward())


def versions_count_writes(torch: Any, say: Any) -> None:
    a = torch.zeros(4)
    for write in (
        lambda: a.add_(1), lambda: a.zero_(), lambda: a.__setitem__(0, 1.0), lambda: a[0].add_(1), lambda: a.copy_(torch.ones(4)),
        lambda: a.fill_(2), lambda: a.view(2, 2).t().mul_(2), lambda: a.clamp_(0, 1), lambda: a.uniform_(), lambda: a.requires_grad_(),
        lambda: a.detach().add_(1), lambda: a.data.add_(1), lambda: torch.add(a.detach(), 1, out=a.detach()), lambda: a.detach().normal_(),
    ):  # fmt: skip
        write()
        say(a._version)


def views_of_no_grad_bases(torch: Any, say: Any) -> None:
    base = torch.ones(4)
    view = base[:2]
    base.requires_grad_()
    say(view.requires_grad, view.is_leaf, view.grad_fn)
    say.error(lambda: view.add_(1))
    out = view * 2
    say(out.requires_grad)
    say.error(lambda: out.sum().backward())
    say(base.grad)


def multi_output_custom_chain(torch: Any, say: Any) -> None:
    a = torch.ones(3, requires_grad=True)
    b = a * 2
    views = [b[i] for i in range(3)]
    for i, v in enumerate(views):
        v.mul_(i + 1)
    say(b, b._version, [v.grad_fn.name() for v in views])
    sum(views).backward()
    say(a.grad)


def self_referring_writes(torch: Any, say: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    b.mul_(b)
    say(b)
    say.error(lambda: b.sum().backward())
    c = a * 2
    c.add_(c)
    c.sum().backward()
    say(a.grad)
    d = a * 2
    d[0] = d[1]
    d.sum().backward()
    say(a.grad)
    e = a * 3
    e.mul_(e.detach())
    say.error(lambda: e.sum().backward())


def in_place_on_saved_view(torch: Any, say: Any) -> None:
    a = torch.arange(4.0).requires_grad_()
    b = a * 1
    v = b[:2]
    y = (v * v).sum()
    b[3] = 7
    say.error(lambda: y.backward())


def no_grad_writes_to_tracked(torch: Any, say: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    c = b * b
    with torch.no_grad():
        b.add_(1)
    say(b, b._version)
    say.error(lambda: c.sum().backward())
    d = a * 2
    with torch.no_grad():
        d.zero_()
    d.sum().backward()
    say(a.grad)


def writes_to_views_of_other_kinds_of_numbers(torch: Any, say: Any) -> None:
    def chain(tensor: Any) -> str:
        node, names = tensor.grad_fn, []
        while node is not None:
            names.append(node.name())
            node = node.next_functions[0][0] if node.next_functions else None
        return " < ".join(names)

    real = torch.arange(8.0).view(2, 2, 2).requires_grad_()
    number = torch.complex(torch.arange(4.0), torch.arange(4.0) + 1).requires_grad_()
    base = real.clone()
    seen = torch.view_as_real(torch.view_as_complex(base))
    seen.mul_(2)
    seen.sum().backward()
    say(chain(seen), chain(base), real.grad)
    base = real.clone()
    flat = torch.view_as_complex(base).reshape(4)
    flat.mul_(2)
    flat.sum().abs().backward()
    say(chain(flat), chain(base), real.grad)
    base = number.clone()
    pairs = torch.view_as_real(base.reshape(2, 2))
    pairs.mul_(torch.arange(8.0).view(2, 2, 2))
    pairs.sum().backward()
    say(chain(pairs), number.grad)
    number.grad = None
    base = number.clone()
    part = base.real
    part.mul_(3)
    base.imag.add_(part.detach())
    (base * base).sum().abs().backward()
    say(chain(part), chain(base), number.grad)
    base = number.clone()
    turned = torch.view_as_real(base.view(2, 2))
    turned.transpose_(0, 1)
    turned += 1
    say(chain(turned), turned.shape)


def written_views_may_keep_their_own_operations(torch: Any, say: Any) -> None:
    tracking = torch.autograd._force_original_view_tracking

    def way(node: Any) -> Any:
        return [node.name(), *(way(n) for n, _ in node.next_functions if n is not None)]

    x = torch.ones(2, 3, requires_grad=True)
    with tracking(True):
        say(torch.autograd.is_view_replay_enabled())
        base = x.clone()
        turned = base.t()
        part = turned[1:]
        one = part.select(0, 1)
        part.mul_(2)
        say(way(part.grad_fn), way(turned.grad_fn), way(one.grad_fn))
        (turned * 3).sum().backward()
        say(x.grad)
        late = base.view(6)
    late.mul_(2)
    say(way(late.grad_fn)[0])
    early = x.clone().t()
    with tracking(True):
        early.mul_(2)
        say(way(early.grad_fn)[0])
    say(torch.autograd.is_view_replay_enabled(), tracking(True)(torch.autograd.is_view_replay_enabled)())
    say(torch.autograd.is_view_replay_enabled())


def graphs_take_gradients_as_their_leaf_was(torch: Any, say: Any) -> None:
    for other in (torch.zeros(5), torch.zeros(3, dtype=torch.float64), torch.zeros(())):
        leaf = torch.ones(3, requires_grad=True)
        before = (leaf * 2).sum()
        leaf.data = other
        before.backward()
        say(leaf.grad)
        say.error(lambda leaf=leaf: (leaf * 3).sum().backward())
        say(leaf.grad)
        del before
        leaf.grad = None
        (leaf * 3).sum().backward()
        say(leaf.grad)


def set_has_no_derivative(torch: Any, say: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    y = x + 1
    y.set_(torch.zeros(2))
    say(y, y._version, y.grad_fn.name(), type(y.grad_fn).__name__)
    say.error(lambda: y.sum().backward())
    say.error(lambda: x.set_(torch.ones(3)))
    say.error(lambda: x.view(3).set_(torch.ones(3)))
    say.error(lambda: torch.ones(2).set_(torch.ones(2, dtype=torch.int64)))


def a_custom_function_may_not_write_into_a_leafs_view(torch: Any, say: Any) -> None:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = torch.ones(2, requires_grad=True)
    say.error(lambda: Scale.apply(x.view(2, 1)))
    y = (x + 1).view(2, 1)
    say(Scale.apply(y).grad_fn.name(), y._version)


def results_keep_their_memory_when_data_is_replaced(torch: Any, say: Any) -> None:
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    y = x.exp()
    y.data = y.data * 2
    y.sum().backward()
    say(x.grad)
    s = torch.tensor(0.5, requires_grad=True)
    t = s.exp()
    t.data.mul_(2)
    t.backward()
    say(s.grad)


def writes_to_chosen_places_may_not_read_where_they_write(torch: Any, say: Any) -> None:
    w = torch.zeros(1, 3)
    here = torch.tensor([0])
    say.error(lambda: w.index_add_(0, here, w[:1]))
    say.error(lambda: w.index_copy_(0, here, w[:1]))
    say.error(lambda: w.scatter_(0, torch.zeros(1, 3, dtype=torch.int64), w))
    say(w.masked_fill_(w == 0, w[0, 0]), w.index_fill_(0, here, w[0, 0]), w[0].add_(w[0]))
    wide = torch.ones(3).expand(2, 3)

    def assign(target: Any, key: Any) -> Any:
        target[key] = 3.0
        return target

    for target, key in ((wide, 0), (wide.t(), 0), (wide, ...)):
        say.error(lambda: assign(target, key))


def a_parameter_shares_the_version_of_what_it_is_made_of(torch: Any, say: Any) -> None:
    x = torch.ones(2)
    parameter = torch.nn.Parameter(x)
    x.add_(1)
    with torch.no_grad():
        parameter.add_(1)
    say(x._version, parameter._version)


def a_masked_write_to_an_expanded_tensor_warns_for_both_its_names(torch: Any, say: Any) -> None:
    x = torch.ones(1, 3).broadcast_to(2, 1, 3)
    x[x > 0] = 0.5
    say(x)
    x = torch.ones(1, 3).broadcast_to((2, 1, 3))
    x.index_put_((x > 0,), torch.tensor(2.0))
    x.index_put_((torch.tensor([0]),), torch.ones(3))
    say(x)


def inverse_hyperbolic_functions_in_place_have_a_node_without_derivative(torch: Any, say: Any) -> None:
    for name in ("acosh", "asinh", "atanh", "arccosh", "arcsinh", "arctanh"):
        x = torch.tensor([0.25, 0.5], requires_grad=True)
        y = getattr(x.clone() * 2, f"{name}_")()
        say(y.grad_fn)
        say.error(y.sum().backward)
        say(getattr(x, name)().grad_fn)
