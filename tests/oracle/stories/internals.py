"""Stories about names that PyTorch keeps to itself and that tests of autograd use: ``torch._C``, old modules, odd attributes."""

from __future__ import annotations

from typing import Any


def delayed_error_raises_only_where_it_is_reached(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2, requires_grad=True)
    blocked = torch._C._functions.DelayedError("not this way", 1)(y)
    say(blocked, blocked.grad_fn.next_functions)
    say.error(lambda: (x * blocked).sum().backward())
    say(torch.autograd.grad((x * blocked).sum(), (x, blocked)))
    one, other = torch._C._functions.DelayedError("neither", 2)(x, x * 2)
    say(one, other, other.output_nr, other.grad_fn.next_functions)
    say(torch._C._functions.DelayedError("unused", 1)(torch.ones(2)))
    say.error(lambda: torch._C._functions.DelayedError("too many", 1)(x, y))


def undefined_grad_swallows_the_gradient(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    passed = torch._C._functions.UndefinedGrad()(x * 2)
    say(passed)
    passed.sum().backward()
    say(x.grad)


def once_differentiable_blocks_every_gradient_with_one_node(torch: Any, say: Any) -> None:
    class Add(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, factor: float, b: Any) -> Any:
            ctx.factor = factor
            return a + factor * b

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient, None, gradient * ctx.factor

    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    seed = torch.ones(2, requires_grad=True)
    one, other = torch.autograd.grad(Add.apply(a, 3.0, b), (a, b), seed, create_graph=True)
    node = one.grad_fn
    say(node, node.next_functions, other.grad_fn is node, other.output_nr)
    say.error(lambda: (one + other).sum().backward())


def gradients_of_outputs_marked_as_constant_may_stay_none(torch: Any, say: Any) -> None:
    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, materialise: bool) -> Any:
            first, second = x.clone(), x.clone()
            ctx.mark_non_differentiable(second)
            ctx._materialize_non_diff_grads = materialise
            return first, second

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            say(first, second)
            return first, None

    for materialise in (True, False):
        Two.apply(torch.ones(2, requires_grad=True), materialise)[0].sum().backward()


def what_a_pass_says_of_itself(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.sin().exp().sum()
    y.register_hook(lambda g: say(torch._C._current_graph_task_execution_order()))
    with torch.autograd.set_multithreading_enabled(False):
        say(torch.autograd.is_multithreading_enabled())
        y.backward(retain_graph=True)
        torch.autograd.grad(y, x, retain_graph=True)
    say(torch.autograd.is_multithreading_enabled())
    say.error(y.backward)
    say.error(torch._C._current_graph_task_execution_order)
    say.error(lambda: torch._C._will_engine_execute_node(y.grad_fn))
    say.error(lambda: torch._C._will_engine_execute_node(y))
    say.error(lambda: torch.autograd.set_multithreading_enabled(1))


def version_counters_can_be_set(torch: Any, say: Any) -> None:
    x = torch.ones(2)
    x.add_(1)
    torch._C._autograd._unsafe_set_version_counter((x,), (5,))
    say(x._version)
    say.error(lambda: torch._C._autograd._unsafe_set_version_counter((x,), (-1,)))
    say.error(lambda: torch._C._autograd._unsafe_set_version_counter((x,), (1, 2)))


def attributes_that_cannot_be_deleted(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    for name in ("data", "requires_grad", "_backward_hooks"):
        say.error(lambda name=name: delattr(x, name))
    del x.grad
    say(x.grad, x.volatile)
    x.volatile = True


def backward_hooks_can_be_assigned(torch: Any, say: Any) -> None:
    x, y = torch.ones(2, requires_grad=True), torch.ones(2)
    y._backward_hooks = {"never": lambda: say("called")}
    (x * y).sum().backward()
    say(x.grad, list(y._backward_hooks))


def set_gives_a_leaf_another_accumulator(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    edge = torch.autograd.graph.get_gradient_edge(x)
    before = x * 2
    say.error(lambda: x.set_(torch.zeros(2)))
    with torch.no_grad():
        x.set_(torch.full((2,), 5.0))
    say(x, x._version)
    say.error(lambda: torch.autograd.grad(before.sum(), x, retain_graph=True))
    say(torch.autograd.grad(before.sum(), edge, retain_graph=True))
    before.sum().backward()
    (x * 3).sum().backward()
    say(x.grad)


def scopes_entered_or_left_in_backward_are_as_before_afterwards(torch: Any, say: Any) -> None:
    def leave(x: Any) -> Any:
        outer.__exit__()
        return x

    def enter(x: Any) -> Any:
        torch.autograd.graph.saved_tensors_hooks(lambda x: (say("never"), x)[1], lambda x: x).__enter__()
        return x

    for unpack in (leave, enter):
        outer = torch.autograd.graph.saved_tensors_hooks(lambda x: (say("pack"), x)[1], unpack)
        with outer:
            torch.ones(2, requires_grad=True).exp().sum().backward()
            torch.ones(2, requires_grad=True).exp()
    torch.ones(2, requires_grad=True).exp()


def old_functions(torch: Any, say: Any) -> None:
    import importlib

    functions = importlib.import_module(f"{torch.__package__}.autograd._functions")
    x = torch.arange(4.0, requires_grad=True)
    resized = functions.Resize.apply(x, (2, 2))
    say(resized)
    resized.sum().backward()
    say(x.grad)
    say.error(lambda: functions.Resize.apply(x, (3,)))


def a_dense_tensor_is_dense(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    say(x.to_dense() is x, x.to_dense(torch.float64), torch.gather(x, 0, torch.tensor([1]), sparse_grad=False))
    say(torch.ones(1).new(torch.Size([3])).shape, torch.Tensor(torch.Size([2, 1])).shape)


def gradients_of_any_type_are_kept_where_grad_dtype_is_open(torch: Any, say: Any) -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient.to(torch.float64)

    for chosen in (torch.float32, None, torch.float16):
        x = torch.ones(2, requires_grad=True)
        x.grad_dtype = chosen
        Double.apply(x).sum().backward()
        say(x.grad)

    def assign(gradient: Any) -> None:
        x.grad = gradient

    x.grad = None
    say.error(lambda: assign(torch.ones(2)))


def names_of_a_tensor_are_all_there(torch: Any, say: Any) -> None:
    x = torch.ones(2, 2)
    say([name for name in dir(x) if name not in ("imag", "volatile") and not hasattr(x, name)])
    say.error(lambda: hasattr(x, "imag"))


def data_parallel_without_accelerators_calls_its_module(torch: Any, say: Any) -> None:
    linear = torch.nn.Linear(2, 1)
    parallel = torch.nn.DataParallel(linear)
    x = torch.ones(3, 2)
    say(bool((parallel(x) == linear(x)).all()), list(parallel.state_dict()), parallel.device_ids)
    say(str(parallel))


def a_view_is_a_function_of_its_base(torch: Any, say: Any) -> None:
    base = torch.arange(6.0).view(2, 3)
    base = base.clone()
    other = base * 10
    say(base.select(1, 2)._view_func(other), base[1]._view_func(other), base._view_func(other))
    say(base[0]._view_func(torch.zeros(3, 2)), base[0]._view_func(torch.zeros(3, 2).t()))
    say.error(lambda: base[0]._rev_view_func_unsafe(base[0].detach()))
    tracked = (other * 1.0).requires_grad_()
    say(base[0]._view_func(tracked).grad_fn.name(), base[0]._view_func_unsafe(torch.ones(3, 2)))


def a_view_made_while_views_are_remembered_is_replayed_step_by_step(torch: Any, say: Any) -> None:
    with torch.autograd._force_original_view_tracking(True):
        base, other = torch.arange(6.0).view(2, 3).clone(), torch.arange(6.0).view(2, 3) * 10
        makers = [
            lambda b: b.select(1, 2), lambda b: b.narrow(1, 1, 2), lambda b: b.view(3, 2), lambda b: b.expand(4, 2, 3),
            lambda b: b.unfold(1, 2, 1), lambda b: b.transpose(0, 1), lambda b: b.unbind()[1], lambda b: b.split(2, 1)[1],
            lambda b: b.chunk(2)[1], lambda b: b.diagonal(1), lambda b: b.unsqueeze(0).squeeze(0)[1], lambda b: b.t()[1:],
        ]  # fmt: skip
        for make in makers:
            view = make(base)
            seen: list[Any] = []
            say(view._view_func(other), view._is_view(), view._base is base)
            view._view_func(other, symint_visitor_fn=lambda number, seen=seen: seen.append(number) or number)
            say(seen)
            back = view._rev_view_func_unsafe(view.detach())
            say(back, back._is_view())
        say(base.select(1, 1)._view_func(other, symint_visitor_fn=lambda number: number + 1))
        pairs = torch.view_as_real(torch.tensor([1 + 2j, 3 + 4j]))
        say(pairs._view_func(torch.tensor([5 + 6j, 7j])), pairs._rev_view_func_unsafe(pairs.detach()))


def tensors_may_be_noted_as_kept_for_reuse(torch: Any, say: Any) -> None:
    x = torch.ones(2)
    torch._C._set_cached_tensors_enabled(True)
    torch._C._add_cached_tensor(x)
    say(torch._C._is_cached_tensor(x), torch._C._is_cached_tensor(torch.ones(2)))
    torch._C._remove_cached_tensor(x)
    say(torch._C._is_cached_tensor(x))
    torch._C._set_cached_tensors_enabled(False)


def what_makes_a_tensor_cannot_be_deleted(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    x.mine = 1
    del x.mine
    say(hasattr(x, "mine"))
    for name in ("data", "requires_grad"):
        say.error(lambda name=name: delattr(x, name))
    del x.grad
    say(x.grad)


def trees_of_tensors_are_taken_apart(torch: Any, say: Any) -> None:
    pytree = torch.utils._pytree
    tree = {"a": (torch.ones(1), [2, None]), "b": 3}
    leaves, spec = pytree.tree_flatten(tree)
    say(leaves, spec.num_leaves, pytree.tree_leaves(tree))
    say(
        pytree.tree_unflatten([1, 2, 3, 4], spec),
        pytree.tree_map(str, (1, [2])),
        pytree.tree_map(max, (1, [5]), (3, [4])),
    )
    say(pytree.tree_map_only(int, lambda number: number + 1, tree))
    say.error(lambda: pytree.tree_unflatten([1], spec))


def a_dispatch_mode_can_be_passed_by(torch: Any, say: Any) -> None:
    python_dispatch: Any = torch.utils._python_dispatch
    mode_utils = torch.utils._mode_utils

    class Told(python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            with mode_utils.no_dispatch():
                say(str(function), function(*args, **(kwargs or {})) * 2)
            return function(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Told():
        y = x * 3
    say(y)


def dictionaries_of_weak_tensors_go_by_identity(torch: Any, say: Any) -> None:
    weak = torch.utils.weak
    a, b = torch.ones(2), torch.ones(2)
    held = weak.WeakTensorKeyDictionary({a: 1})
    held[b] = 2
    say(len(held), held[a], held[b], torch.ones(2) in held, [key is a for key in held], held.copy() == held)
    del a
    say(len(held), held.get(b), [reference() is b for reference in held.keyrefs()], held.pop(b), len(held))
    reference = weak.TensorWeakRef(b)
    say(reference() is b, weak.WeakIdRef(b) == weak.WeakIdRef(b), hash(weak.WeakIdRef(b)) == id(b))
    del b
    say(reference())


def nodes_that_are_no_operators_have_classes(torch: Any, say: Any) -> None:
    x = torch.ones(4, requires_grad=True)
    copied = torch.zeros(4).copy_(x)
    base = x * 2
    base[:2].exp_()
    say(
        isinstance(copied.grad_fn, torch._C._functions.CopyBackwards),
        isinstance(base.grad_fn, torch._C._functions.CopySlices),
    )
