"""Stories about the backward pass: roots, inputs, re-entrance, order, what is refused."""

from __future__ import annotations

from typing import Any


def roots_and_gradients(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y, z = x * 2, (x * x).sum()
    torch.autograd.backward([y, z], [torch.ones(2), None], retain_graph=True)
    say(x.grad)
    torch.autograd.backward((y, z), (torch.ones(2), torch.tensor(2.0)), retain_graph=True)
    say(x.grad)
    say.error(lambda: torch.autograd.backward([y, z], [torch.ones(2)]))
    say.error(lambda: torch.autograd.backward([y, z], []))
    torch.autograd.backward([y], [torch.ones(2), torch.ones(2)], retain_graph=True)
    say(x.grad)
    say.error(lambda: torch.autograd.backward([y, z], torch.ones(2)))
    say.error(lambda: torch.autograd.backward(y, torch.ones(3)))
    say.error(lambda: torch.autograd.backward(y, 1.0))
    say.error(lambda: torch.autograd.backward(y, [1.0]))
    say.error(lambda: torch.autograd.backward(5))
    say.error(lambda: torch.autograd.backward([5]))
    say.error(lambda: torch.autograd.backward([]))
    say.error(lambda: torch.autograd.backward(torch.ones(1)))
    say.error(lambda: torch.autograd.backward([torch.ones(2)], [torch.ones(2)]))
    say.error(lambda: y.backward("x"))
    say.error(lambda: y.backward(torch.ones(2), grad_tensors=1))


def the_same_root_twice(torch: Any, say: Any) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    torch.autograd.backward([y, y])
    say(x.grad)
    say(torch.autograd.grad([x * x, x], x))
    say(torch.autograd.grad(x, x))
    say(torch.autograd.grad([x, x], [x, x]))


def old_names(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0], requires_grad=True)
    torch.autograd.backward(x * 2, grad_variables=torch.ones(1))
    say(x.grad)
    say.error(lambda: torch.autograd.backward(x * 2, torch.ones(1), grad_variables=torch.ones(1)))
    say(torch.autograd.grad(x * 2, x, only_inputs=False))


def asked_inputs(torch: Any, say: Any) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = torch.tensor(2.0, requires_grad=True)
    z = x * y
    w = z * z
    w.backward(inputs=[x], retain_graph=True)
    say(x.grad, y.grad)
    w.backward(inputs=(y,), retain_graph=True)
    say(x.grad, y.grad)
    w.backward(inputs=x, retain_graph=True)
    say(x.grad, y.grad)
    w.backward(inputs=[z], retain_graph=True)
    say(z.grad, x.grad)
    w.backward(inputs={"a": x}, retain_graph=True)
    say(x.grad)
    say.error(lambda: w.backward(inputs=[]))
    say.error(lambda: w.backward(inputs=[5]))
    say.error(lambda: w.backward(inputs=[torch.ones(1)]))
    unused = torch.ones(1, requires_grad=True)
    w.backward(inputs=[unused])
    say(unused.grad)
    say.error(lambda: torch.autograd.grad(x * 1, []))
    say.error(lambda: torch.autograd.grad(x * 1, [5]))
    say.error(lambda: torch.autograd.grad(x * 1, torch.ones(1)))
    say(torch.autograd.grad(x * 3, {"k": x}))
    say.error(lambda: torch.autograd.grad(x * 1, y))


def unused_and_materialised(torch: Any, say: Any) -> None:
    x, y = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    out = x.sum()
    say.error(lambda: torch.autograd.grad(out, [x, y], retain_graph=True))
    say(torch.autograd.grad(out, [x, y], allow_unused=True, retain_graph=True))
    say(torch.autograd.grad(out, [x, y], materialize_grads=True, retain_graph=True))
    say.error(lambda: torch.autograd.grad(out, [x, y], materialize_grads=True, allow_unused=False))
    say(torch.autograd.grad(out, [y], allow_unused=True))
    (g,) = torch.autograd.grad((y * 2).sum(), [x], materialize_grads=True, create_graph=True)
    say(g)


def freed_and_retained(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for make in (
        lambda: x * 2,
        lambda: x * x,
        lambda: x + 1,
        lambda: x.exp(),
        lambda: x.sum(),
        lambda: x[0],
        lambda: x.sigmoid(),
        lambda: x * x + x,
    ):
        y = make()
        y.sum().backward(retain_graph=True)
        y.sum().backward()
        say.error(lambda: y.sum().backward())
    say(x.grad)


def part_of_a_freed_graph(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    shared = x * x
    a, b = shared.sum(), (shared * 2).sum()
    a.backward()
    say.error(lambda: b.backward())
    shared = x * x
    a, b = shared.sum(), (shared * 2).sum()
    torch.autograd.grad(a, shared)
    b.backward()
    say(x.grad)


def creating_graphs(torch: Any, say: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x**3
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    say(g, g.requires_grad)
    (h,) = torch.autograd.grad(g, x, create_graph=True)
    (k,) = torch.autograd.grad(h, x)
    say(h, k, k.requires_grad)
    y.backward(create_graph=True)
    say(x.grad)
    x.grad = None
    with torch.no_grad():
        (g,) = torch.autograd.grad(x**2, x, create_graph=True, allow_unused=True) if False else (None,)
    seed = torch.tensor(5.0, requires_grad=True)
    (g,) = torch.autograd.grad(x**2, x, seed, create_graph=True)
    say(torch.autograd.grad(g, seed))
    (g,) = torch.autograd.grad(x * 3, x, create_graph=True)
    say(g, g.requires_grad)


def reentrant_backward(torch: Any, say: Any) -> None:
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.y = (ctx.x**2).sum()
            return ctx.y.detach()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            say("inside", torch.is_grad_enabled())
            with torch.enable_grad():
                ctx.y.backward()
            return ctx.x.grad * g

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (Inner.apply(x * 2) * 3).backward()
    say(x.grad)


def deep_reentrance(torch: Any, say: Any) -> None:
    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.x = ctx.x - 1
            return ctx.x.detach()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            if ctx.x < 0:
                return g
            with torch.enable_grad():
                Deep.apply(ctx.x).sum().backward()
            return g

    v = torch.tensor(60.0, requires_grad=True)
    Deep.apply(v).sum().backward()
    say(v.grad)


def errors_in_nested_passes(torch: Any, say: Any) -> None:
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise ArithmeticError("inner")

    class Calls(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            with torch.enable_grad():
                Fails.apply(torch.ones(1, requires_grad=True)).backward()
            return g

    x = torch.ones(1, requires_grad=True)
    say.error(lambda: Calls.apply(x).backward())
    (x * 2).backward()
    say(x.grad)


def batched_gradients(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * x
    say(torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True, retain_graph=True))
    say(torch.autograd.grad([y, x * 2], x, [torch.eye(3), torch.eye(3)], is_grads_batched=True, retain_graph=True))
    say.error(lambda: torch.autograd.grad(y, x, torch.ones(2, 4), is_grads_batched=True, retain_graph=True))
    (g,) = torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True, create_graph=True)
    say(g.shape, g.requires_grad)
    unused = torch.ones(1, requires_grad=True)
    say(
        torch.autograd.grad(y, [x, unused], torch.eye(3), is_grads_batched=True, allow_unused=True, retain_graph=True)[
            1
        ]
    )


def deep_copies_and_pickles(torch: Any, say: Any) -> None:
    import copy
    import pickle

    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    y = copy.deepcopy(x)
    say(y, y.grad, y is x, y.is_leaf)
    say.error(lambda: copy.deepcopy(x * 2))
    z = pickle.loads(pickle.dumps(x))
    say(z, z.grad)
    w = pickle.loads(pickle.dumps(torch.nn.Parameter(torch.ones(2))))
    say(w, type(w).__name__)
    say.error(lambda: pickle.dumps(x.grad_fn) and None)
    c = copy.copy(x)
    say(c.requires_grad, c.data_ptr() == x.data_ptr())


def iteration_and_conversion_of_tracked(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    total = sum(v * v for v in x)
    total.backward()
    say(x.grad, float(x[0]), x[1].item(), x.tolist(), bool(x[0] > 0), int(x[1]))
    say.error(lambda: x.numpy())
    say.error(lambda: float(x))
    say(x.detach().numpy())
    say(2.0 in x.detach(), len(x))


def order_of_execution(torch: Any, say: Any) -> None:
    order: list[str] = []

    def watch(name: str, tensor: Any) -> Any:
        tensor.grad_fn.register_hook(lambda *_: order.append(name))
        return tensor

    x = torch.tensor(1.0, requires_grad=True)
    a = watch("a", x * 2)
    b = watch("b", x * 3)
    c = watch("c", a + b)
    d = watch("d", a * b)
    e = watch("e", c * d)
    f = watch("f", e + a)
    f.backward(retain_graph=True)
    say(order)
    order.clear()
    torch.autograd.backward([d, c], [torch.tensor(1.0), torch.tensor(1.0)], retain_graph=True)
    say(order)
    order.clear()
    torch.autograd.grad(f, a)
    say(order)


def leaf_turned_result(torch: Any, say: Any) -> None:
    x = torch.zeros(2, requires_grad=True)
    y = x * 2
    with torch.no_grad():
        x += 1
    say(x, x._version)
    y.sum().backward()
    say(x.grad)
    say.error(lambda: x.add_(1))
    x.requires_grad_(False)
    x.add_(1)
    x.requires_grad_()
    (x * x).sum().backward()
    say(x.grad)


def turned_off_after_use(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    x.requires_grad_(False)
    y.sum().backward()
    say(x.grad)


def a_gradient_edge_kept_alive(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    a = (x * 2).sum()
    node = a.grad_fn
    del a
    say(node.name(), node.next_functions)
    say(node(torch.ones(())))


def a_pass_writes_its_log(torch: Any, say: Any) -> None:
    import logging

    log, lines = logging.getLogger("torch.autograd.graph"), []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            message = record.getMessage()
            lines.append(message.split(" object at ")[0] + message[message.index(" with ") :])

    handler, level, propagates = Collector(), log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    try:
        a = torch.ones(3, 2, requires_grad=True)
        b = a.mul(2).div(3).sum()
        torch.autograd.backward((b, b.clone()))
        torch.autograd.grad(a.double().unbind(1)[0].sum(), a)
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        log.propagate = propagates
    for line in lines:
        say(line)


def sequence_numbers_can_be_set(torch: Any, say: Any) -> None:
    x = torch.ones(1, requires_grad=True)
    a, b = x * 2, x * 3
    c = a + b
    for node, number in ((a.grad_fn, 100), (b.grad_fn, 99), (c.grad_fn, 98)):
        node._set_sequence_nr(number)
        say(node._sequence_nr())
    for name, tensor in (("a", a), ("b", b), ("c", c)):
        tensor.register_hook(lambda g, name=name: say(name, g))
    c.backward()
    kept = []

    class Asks(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, t: Any) -> Any:
            return t.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            kept.append(torch._C._autograd._get_current_graph_task_keep_graph())
            return g

    out = Asks.apply(x)
    out.backward(retain_graph=True)
    out.backward()
    say(kept)


def switches_that_are_no_bools(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    x.sum().backward(retain_graph=1, create_graph=0)
    say(x.grad)
    say.error(lambda: x.sum().backward(retain_graph="yes"))
    say.error(lambda: x.sum().backward(create_graph=1.0))
    say.error(lambda: torch.autograd.grad(x.sum(), x, allow_unused="yes"))
    say.error(lambda: x.requires_grad_(1))
    say.error(lambda: x.requires_grad_(None))
    say.error(lambda: torch.tensor(1.0, requires_grad=1))
    say.error(lambda: torch.ones(2, requires_grad="yes"))
    say.error(lambda: torch.zeros_like(x, requires_grad=0))
    say.error(lambda: torch.nn.Parameter(x, requires_grad=1))
    say(torch.ones(2, requires_grad=None))
    optimizer = torch.optim.SGD([x], lr=1)
    optimizer.zero_grad(set_to_none=0)
    say(x.grad)


def batched_gradients_refuse_what_is_no_batch(torch: Any, say: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    grad = torch.autograd.grad
    say.error(lambda: grad(x.sum(), x, is_grads_batched=True))
    say.error(lambda: grad(x * 2, x, is_grads_batched=True))
    say.error(lambda: grad([x.sum(), x.sum()], x, [torch.ones(2), None], is_grads_batched=True))
    say.error(lambda: grad([x.sum(), x.sum()], x, [torch.ones(2), torch.ones(3)], is_grads_batched=True))
    say(grad([x.sum(), x.prod()], x, [torch.ones(2), torch.ones(2)], is_grads_batched=True))


def the_order_of_a_compositions_nodes_is_pytorchs(torch: Any, say: Any) -> None:
    def numbers(out: Any) -> Any:
        found, waiting = [], [out.grad_fn]
        while waiting:
            node = waiting.pop()
            if node is not None and node not in found:
                found.append(node)
                waiting += [following for following, _ in node.next_functions][::-1]
        made = [node for node in found if node._sequence_nr() < 2**60]
        return [f"{found.index(n)} {n.name()}" for n in sorted(made, key=lambda n: n._sequence_nr())]

    x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    row, functional = x[None], torch.nn.functional
    for out in (
        torch.trapezoid(x), torch.trapezoid(x, x), torch.cumulative_trapezoid(x, x), torch.gradient(x)[0],
        torch.gradient(x, edge_order=2)[0], torch.diff(x), torch.einsum("i,i->", x, x), torch.tensordot(row, row, 2),
        functional.cosine_similarity(x, x, 0), functional.poisson_nll_loss(x, x),
        functional.cross_entropy(x, torch.tensor(1), label_smoothing=0.1),
        functional.kl_div(x, x, reduction="sum"), functional.kl_div(x, x, reduction="sum", log_target=True),
        torch.nn.RNNCell(3, 2)(x), torch.nn.LSTMCell(3, 2)(x)[0], torch.nn.GRUCell(3, 2)(x),
        x.amax(0), x.max(),
    ):  # fmt: skip
        say(numbers(out))
        slope = torch.autograd.grad(out.sum() ** 2, x, create_graph=True)[0]
        say(slope.grad_fn.name())


def what_has_no_derivative_is_refused_before_anything_else_runs(torch: Any, say: Any) -> None:
    x = torch.tensor([3.0], requires_grad=True)
    late, refused = x * 2, x // 2
    later = late * 3
    later.register_hook(lambda g: say("heard"))
    say(refused.grad_fn.name(), refused.grad_fn._sequence_nr() > 2**60)
    say.error(lambda: torch.autograd.backward([refused, later], [torch.ones(1), torch.ones(1)]))


def views_without_a_node_of_their_own_start_no_pass(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        first = x[0]
    say(first.requires_grad, first.grad_fn)
    say.error(lambda: first.backward())
    say.error(lambda: torch.autograd.graph.get_gradient_edge(first))
    say((first * 2).backward())


def a_checkpoint_notices_that_its_argument_was_written_into(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    out = torch.utils.checkpoint.checkpoint(lambda t: t.exp() * t, y, use_reentrant=False)
    y.mul_(2)
    say.error(lambda: out.sum().backward())


def minus_refuses_booleans(torch: Any, say: Any) -> None:
    mask = torch.tensor([True, False])
    for call in (
        lambda: torch.ones(2) - mask, lambda: torch.ones(3) - mask, lambda: mask - 1, lambda: 1 - mask, lambda: mask - mask,
        lambda: torch.ones(2).sub_(mask), lambda: torch.ones(2) - True,
    ):  # fmt: skip
        say.error(call)


def advice_about_old_habits_is_given(torch: Any, say: Any) -> None:
    say(torch.ones(2, 3, 4).T.shape, torch.meshgrid(torch.ones(2), torch.ones(3))[0].shape)
    say(torch.cross(torch.ones(3), torch.ones(3)), torch.ones(1).var(), torch.ones(0).var(), torch.ones(2, 0).std(0))
    say(torch.nn.functional.group_norm(torch.ones(1, 3, 0), 1).shape)


def broadcast_leaves_keep_gradients_of_their_own(torch: Any, say: Any) -> None:
    torch.manual_seed(0)
    cell = torch.nn.RNNCell(2, 3)
    a, b = torch.zeros(3, requires_grad=True), torch.zeros(3, requires_grad=True)
    for _ in range(3):
        cell(torch.ones(1, 2), torch.zeros(1, 3)).sum().backward()
        (torch.ones(1, 3) + a + (b + torch.ones(1, 1, 3))).pow(2).sum().backward()
        say(cell.bias_ih.grad, cell.bias_hh.grad, a.grad, b.grad)
    say(cell.bias_ih.grad.data_ptr() == cell.bias_hh.grad.data_ptr(), a.grad.data_ptr() == b.grad.data_ptr())
