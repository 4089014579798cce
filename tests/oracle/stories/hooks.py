"""Stories about hooks: on tensors, on nodes, on several tensors at once, after accumulation."""

from __future__ import annotations

from typing import Any


def tensor_hooks_run_in_order_and_may_replace(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    first = y.register_hook(lambda g: (say("first", g), g * 2)[1])
    y.register_hook(lambda g: say("second", g))
    y.sum().backward(retain_graph=True)
    say(x.grad, type(first).__name__)
    first.remove()
    first.remove()
    y.sum().backward()
    say(x.grad)


def tensor_hooks_refuse_bad_answers(torch: Any, say: Any) -> None:
    for answer in (1, "x", torch.ones(3), torch.ones(2, dtype=torch.float64), (torch.ones(2),)):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 2
        y.register_hook(lambda g: answer)
        say.error(lambda: y.sum().backward())
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        x.register_hook(lambda g: answer)
        say.error(lambda: (x * 2).sum().backward())


def tensor_hooks_refuse_bad_registrations(torch: Any, say: Any) -> None:
    x = torch.ones(2)
    say.error(lambda: x.register_hook(lambda g: g))
    say.error(lambda: x.register_post_accumulate_grad_hook(lambda g: None))
    say.error(lambda: x.requires_grad_().register_hook(5))
    y = x * 2
    say.error(lambda: y.register_post_accumulate_grad_hook(lambda g: None))
    say.error(lambda: torch.ones(2).retain_grad())
    with torch.no_grad():
        say.error(lambda: torch.ones(2).register_hook(lambda g: g))


def hook_errors_come_through(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2

    def bad(g: Any) -> None:
        raise KeyError("mine")

    y.register_hook(bad)
    say.error(lambda: y.sum().backward())
    say(x.grad)


def hooks_on_a_leaf_run_before_accumulation(torch: Any, say: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    x.register_hook(lambda g: (say("tensor", g, x.grad), g + 1)[1])
    x.register_post_accumulate_grad_hook(lambda t: say("post", t is x, t.grad))
    y = x * x
    node = y.grad_fn.next_functions[0][0]
    node.register_prehook(lambda gs: say("pre", gs))
    node.register_hook(lambda gi, go: say("node", gi, go))
    y.backward()
    say(x.grad)


def post_accumulate_hook_may_step_and_clear(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)

    def step(t: Any) -> None:
        with torch.no_grad():
            t -= 0.1 * t.grad
        t.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    say(x, x.grad, x._version)
    handle.remove()
    (x * x).sum().backward()
    say(x.grad)
    x.register_post_accumulate_grad_hook(lambda t: 5)
    say.error(lambda: (x * x).sum().backward())


def post_accumulate_hooks_run_in_order(torch: Any, say: Any) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda t: say("a", t.grad))
    x.register_post_accumulate_grad_hook(lambda t: (say("b"), t.grad.mul_(2))[0])
    x.register_post_accumulate_grad_hook(lambda t: say("c", t.grad))
    (x * 2 + x).backward()
    say(torch.autograd.grad(x * 5, x))
    say(x.grad)


def node_hooks_see_and_replace(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0])
    y = x * w
    handle = y.grad_fn.register_hook(lambda gi, go: (say("post", gi, go), (gi[0] * 10, None))[1])
    y.grad_fn.register_prehook(lambda go: (say("pre", go), (go[0] + 1,))[1])
    y.sum().backward(retain_graph=True)
    say(x.grad)
    handle.remove()
    y.sum().backward()
    say(x.grad)


def node_hooks_refuse_bad_answers(torch: Any, say: Any) -> None:
    answers = (
        1,
        torch.ones(2),
        (torch.ones(2),),
        (torch.ones(2), torch.ones(2)),
        (),
        [torch.ones(2)] * 2,
        "xx",
        (None, None),
        (1, 2),
    )
    for answer in answers:
        for kind in ("register_hook", "register_prehook"):
            x = torch.tensor([1.0, 2.0], requires_grad=True)
            y = x * x
            getattr(y.grad_fn, kind)((lambda gi, go: answer) if kind == "register_hook" else (lambda go: answer))
            say.error(lambda: y.sum().backward())
            say(x.grad)


def node_hooks_are_refused_when_not_callable(torch: Any, say: Any) -> None:
    y = torch.ones(2, requires_grad=True) * 2
    try:
        y.grad_fn.register_hook(3)
        y.sum().backward()
    except Exception as error:
        say(type(error).__name__)


def hooks_may_be_removed_during_the_run(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2
    handles: list[Any] = []

    def once(name: str) -> Any:
        def hook(*args: Any) -> None:
            say(name)
            for handle in handles:
                handle.remove()

        return hook

    handles.append(y.register_hook(once("tensor a")))
    handles.append(y.register_hook(once("tensor b")))
    handles.append(y.grad_fn.register_prehook(once("pre a")))
    handles.append(y.grad_fn.register_prehook(once("pre b")))
    handles.append(y.grad_fn.register_hook(once("post a")))
    handles.append(y.grad_fn.register_hook(once("post b")))
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    say(x.grad)


def order_of_all_hooks_on_one_node(torch: Any, say: Any) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x.exp()
    y.grad_fn.register_hook(lambda gi, go: say("post", gi, go))
    y.grad_fn.register_prehook(lambda go: say("pre", go))
    y.retain_grad()
    y.register_hook(lambda g: (say("tensor", g), g * 2)[1])
    y.register_hook(lambda g: (say("tensor 2", g, y.grad), g * 2)[1])
    (y * 1).backward()
    say(y.grad, x.grad)


def hooks_and_grad_capture(torch: Any, say: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    y.grad_fn.register_prehook(lambda go: (say("pre"), (go[0] * 100,))[1])
    z = y * y
    say(torch.autograd.grad(z, [y], retain_graph=True))
    say(torch.autograd.grad(z, [x, y], retain_graph=True))
    x.register_hook(lambda g: g + 0.5)
    x.register_post_accumulate_grad_hook(lambda t: say("post", t.grad))
    say(torch.autograd.grad(z, [x], retain_graph=True), x.grad)
    z.backward(inputs=[x])
    say(x.grad)


def retain_grad_with_hooks_and_in_place(torch: Any, say: Any) -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = a * 2
    b.register_hook(lambda g: (say("before", g), g * 2)[1])
    b.retain_grad()
    b *= 3
    b.register_hook(lambda g: (say("after", g), g * 5)[1])
    b.sum().backward()
    say(b.grad, a.grad, b.retains_grad)


def retain_grad_twice_then_in_place(torch: Any, say: Any) -> None:
    a = torch.tensor([1.0], requires_grad=True)
    b = a * 2
    b.retain_grad()
    b.retain_grad()
    b.mul_(2)
    b.mul_(2)
    b.retain_grad()
    b.sum().backward()
    say(b.grad, a.grad)


def retain_grad_on_a_view_of_a_written_base(torch: Any, say: Any) -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = a * 2
    v = b[0]
    v.retain_grad()
    b.retain_grad()
    b.mul_(3)
    (v * 2 + b.sum()).backward()
    say(v.grad, b.grad, a.grad)


def retain_grad_on_a_leaf_does_nothing(torch: Any, say: Any) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    x.retain_grad()
    say(x.retains_grad)
    (x * 2).backward()
    say(x.grad)


def hook_before_in_place_stays_with_the_old_node(torch: Any, say: Any) -> None:
    a = torch.tensor([1.0], requires_grad=True)
    b = a.clone()
    b.register_hook(lambda g: say("old", g))
    b.add_(1)
    b.mul_(2)
    b.register_hook(lambda g: say("new", g))
    b.sum().backward()
    say(a.grad)


def hook_on_a_base_and_views(torch: Any, say: Any) -> None:
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    base = a.clone()
    view = base[:2]
    view.register_hook(lambda g: say("view", g))
    base.register_hook(lambda g: say("base", g))
    view.mul_(2)
    view.register_hook(lambda g: say("view after", g))
    base.register_hook(lambda g: say("base after", g))
    (view.sum() + base.sum()).backward()
    say(a.grad)


def leaf_hook_stays_when_the_leaf_moves_inside(torch: Any, say: Any) -> None:
    x = torch.zeros(2)
    x.requires_grad_()
    x.register_hook(lambda g: say("leaf", g))
    y = x.clone()
    y[0] = 5
    y.sum().backward()
    say(x.grad)


def multi_grad_hook_waits_for_all(torch: Any, say: Any) -> None:
    a, b, c, d = (torch.tensor([1.0 + i], requires_grad=True) for i in range(4))
    out = (a * b).sum() + (c * 2).sum()
    handle = torch.autograd.graph.register_multi_grad_hook((a, b, c, d), lambda gs: say("all", gs))
    out.backward(retain_graph=True)
    say.error(lambda: torch.autograd.grad(out, (a, c), retain_graph=True))
    (a * 3).sum().backward()
    handle.remove()
    out.backward()
    say(type(handle).__name__)
    say.error(lambda: torch.autograd.graph.register_multi_grad_hook((a,), lambda gs: None, mode="some"))


def multi_grad_hook_with_any(torch: Any, say: Any) -> None:
    a, b = (torch.tensor([1.0 + i], requires_grad=True) for i in range(2))
    seen: list[Any] = []
    with torch.autograd.graph.register_multi_grad_hook((a, b), lambda g: seen.append(g), mode="any"):
        (a * b).sum().backward()
        say(len(seen))
        (b * 2).sum().backward()
        say(len(seen))
    (b * 2).sum().backward()
    say(len(seen))


def multi_grad_hook_on_inner_results(torch: Any, say: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y, z = x * 2, x * 3
    torch.autograd.graph.register_multi_grad_hook((y, z), lambda gs: say(gs))
    (y * z).backward()
    say(x.grad)
    say.error(lambda: torch.autograd.graph.register_multi_grad_hook((torch.ones(1),), lambda gs: None))


def hook_that_runs_backward_itself(torch: Any, say: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    inner = torch.tensor(5.0, requires_grad=True)

    def hook(g: Any) -> Any:
        with torch.enable_grad():
            (inner * inner).backward()
        return g + inner.grad

    y.register_hook(hook)
    (y * 2).backward()
    say(x.grad, inner.grad)


def hook_in_a_hooks_mode(torch: Any, say: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda g: say(torch.is_grad_enabled(), g))
    y.backward(retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    with torch.no_grad():
        y.backward()


def hook_gets_none_never(torch: Any, say: Any) -> None:
    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx: Any, a: Any, b: Any) -> Any:
            say("backward", a, b)
            return b

    x = torch.tensor(1.0, requires_grad=True)
    a, b = Two.apply(x)
    a.register_hook(lambda g: say("a", g))
    b.register_hook(lambda g: say("b", g))
    a.grad_fn.register_prehook(lambda gs: say("pre", gs))
    a.grad_fn.register_hook(lambda gi, go: say("post", gi, go))
    b.backward()
    say(x.grad)


def handles_by_identity(torch: Any, say: Any) -> None:
    x = torch.ones(1, requires_grad=True)
    with x.register_hook(lambda g: say("inside")) as handle:
        (x * 2).sum().backward()
        say(isinstance(handle.id, int))
    (x * 2).sum().backward()
    say(x._backward_hooks)


def hook_with_partial_and_callable_object(torch: Any, say: Any) -> None:
    import functools

    class Scale:
        def __call__(self, g: Any) -> Any:
            return g * 7

    x = torch.ones(1, requires_grad=True)
    x.register_hook(functools.partial(lambda k, g: g * k, 3))
    x.register_hook(Scale())
    (x * 2).sum().backward()
    say(x.grad)


def hook_that_writes_into_the_gradient(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: (g.mul_(3), None)[1])
    say.error(y.sum().backward)
    (y * torch.tensor([1.0, 2.0])).sum().backward()
    say(x.grad)


def deleted_tensor_keeps_its_hook(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: (say("called"), g * 4)[1])
    z = y + 1
    del y
    z.sum().backward()
    say(x.grad)


def prehook_of_accumulate_grad_through_the_edge(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    edge = torch.autograd.graph.get_gradient_edge(x)
    edge.node.register_prehook(lambda gs: (say("pre", gs), (gs[0] * 2,))[1])
    edge.node.register_hook(lambda gi, go: say("post", gi, go))
    x.register_hook(lambda g: g + 1)
    (x * 3).sum().backward()
    say(x.grad, edge.node.variable is x, edge.node.next_functions)


def hooks_on_several_outputs_of_one_node(torch: Any, say: Any) -> None:
    x = torch.arange(4.0).requires_grad_()
    a, b = x.split(2)
    a.register_hook(lambda g: (say("a", g), g * 2)[1])
    b.register_hook(lambda g: (say("b", g), g * 3)[1])
    b.retain_grad()
    (a.sum() + b.sum()).backward()
    say(x.grad, b.grad)
    m, i = torch.max(x.reshape(2, 2), 1)
    m.register_hook(lambda g: say("m", g))
    m.sum().backward()
    say.error(lambda: i.register_hook(lambda g: g))


def hooks_can_be_looked_at(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    say(y._backward_hooks, x._backward_hooks, x._post_accumulate_grad_hooks)
    y.register_hook(lambda g: None)
    x.register_post_accumulate_grad_hook(lambda t: None)
    say(len(y._backward_hooks), len(x._post_accumulate_grad_hooks))


def modules_have_backward_hooks(torch: Any, say: Any) -> None:
    m = torch.nn.Linear(2, 1)
    with torch.no_grad():
        m.weight.fill_(2.0)
    m.register_full_backward_hook(lambda mod, gi, go: (say("full", gi, go), (gi[0] * 2,))[1])
    m.register_full_backward_pre_hook(lambda mod, go: (say("pre", go), (go[0] * 3,))[1])
    x = torch.ones(1, 2, requires_grad=True)
    m(x).sum().backward()
    say(x.grad, m.weight.grad)
    say.error(lambda: m.register_backward_hook(lambda *a: None))


def a_node_hook_registered_while_the_node_unpacks_runs(torch: Any, say: Any) -> None:
    def unpack(x: Any) -> Any:
        node = torch._C._current_autograd_node()
        node.register_hook(lambda messages, gradients: (say(node, gradients), tuple(m / 2 for m in messages))[1])
        return x

    a = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, unpack):
        y = a.exp().sum()
    y.backward()
    say(a.grad)


def hooks_may_not_change_a_gradients_type(torch: Any, say: Any) -> None:
    for dtype in (torch.float16, torch.bfloat16, torch.complex64, torch.float64):
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda g, dtype=dtype: g.to(dtype))
        try:
            (x * 2).sum().backward()
        except RuntimeError as error:
            say(str(error).partition("has changed")[2])


def unpacking_to_another_shape(torch: Any, say: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: torch.ones(2)):
        y = (x * x).sum()
    say.error(y.backward)


def module_hooks_that_return_what_does_not_fit(torch: Any, say: Any) -> None:
    for answer in ((torch.ones(1, 3),), 3, (torch.ones(1, 2), None)):
        layer = torch.nn.Tanh()
        layer.register_full_backward_hook(lambda module, inputs, outputs, answer=answer: answer)
        say.error(lambda layer=layer: layer(torch.ones(1, 2, requires_grad=True)).sum().backward())


def a_node_hook_sees_one_gradient_per_differentiable_output(torch: Any, say: Any) -> None:
    for pick in ("sort", "max", "median", "cummax", "mode"):
        x = torch.tensor([[3.0, 1.0, 2.0]], requires_grad=True)
        values = getattr(x, pick)(1)[0]
        values.grad_fn.register_hook(lambda inputs, outputs: say(pick, len(inputs), len(outputs)))
        values.sum().backward()
        say(x.grad, len(values.grad_fn._input_metadata))


def a_hook_after_a_refused_one_is_taken_and_never_heard_of(torch: Any, say: Any) -> None:
    x = torch.ones(2, 2, requires_grad=True)
    part = x.split(1)[0]
    with torch.no_grad():
        x.mul_(2)
    say.error(lambda: part.register_hook(lambda g: say("first", g)))
    say(type(part.register_hook(lambda g: say("second", g))).__name__)
    x.sum().backward()


def hooks_after_a_node_do_not_run_when_its_gradient_does_not_fit(torch: Any, say: Any) -> None:
    class Misfit(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return torch.ones(7)

    x = torch.ones(3, requires_grad=True)
    y = Misfit.apply(x)
    y.grad_fn.register_hook(lambda inputs, outputs: say("heard"))
    say.error(lambda: y.sum().backward())


def a_full_backward_hook_says_when_no_input_requires_grad(torch: Any, say: Any) -> None:
    layer = torch.nn.Tanh()
    layer.weight = torch.nn.Parameter(torch.ones(2))
    layer.forward = lambda x: x * layer.weight
    layer.register_full_backward_hook(lambda module, inputs, outputs: say(inputs, outputs))
    layer(torch.ones(2)).sum().backward()


def hooks_of_a_tensor_stand_in_an_ordered_dictionary(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    for tensor in (x, y):
        say(tensor._backward_hooks)
        handle = tensor.register_hook(lambda g: g)
        say(type(tensor._backward_hooks), list(tensor._backward_hooks) == [handle.id])
        handle.remove()
        say(repr(tensor._backward_hooks))
    handle = x.register_post_accumulate_grad_hook(lambda p: None)
    say(type(x._post_accumulate_grad_hooks), len(x._post_accumulate_grad_hooks))
    handle.remove()
    say(repr(x._post_accumulate_grad_hooks), y._post_accumulate_grad_hooks)


def old_module_hooks_say_what_they_miss(torch: Any, say: Any) -> None:
    nn = torch.nn

    class Returning(nn.Module):  # type: ignore[name-defined]
        def __init__(self, answer: Any) -> None:
            super().__init__()
            self.answer = answer

        def forward(self, *given: Any) -> Any:
            return self.answer(*given)

    x = torch.ones(2, requires_grad=True)
    for answer, given in (
        (lambda v: v * 2, (x,)), (lambda v: v * 2, (x * 1,)), (lambda v: (v * 2).exp(), (x * 1,)), (lambda v: (v * 2, v * 3), (x,)),
        (lambda v: {"out": v * 2}, (x,)), (lambda v: [v * 2], (x,)), (lambda v, k: v * k, (x, 3)), (lambda v: v.unbind(), (x * 1,)),
        (lambda v: ((v * 2,),), (x,)), (lambda v: v.detach(), (x,)),
    ):  # fmt: skip
        module = Returning(answer)
        module.register_backward_hook(lambda m, inputs, outputs: say("ran", inputs, outputs))
        result = module(*given)
        while not isinstance(result, torch.Tensor):
            result = result["out"] if isinstance(result, dict) else result[0]
        if result.requires_grad:
            result.sum().backward()
