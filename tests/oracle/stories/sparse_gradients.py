"""Stories about gradients that are sparse: how they arrive, add up, and what optimizers do with them."""

from __future__ import annotations

from typing import Any


def _saved(node: Any) -> list[str]:
    return [name for name in dir(node) if name.startswith("_saved_")]


def _table(torch: Any) -> Any:
    return torch.arange(6.0).reshape(3, 2).requires_grad_()


def _picked(torch: Any, table: Any, *rows: int) -> Any:
    return torch.nn.functional.embedding(torch.tensor(rows), table, sparse=True).sum()


def rows_taken_from_a_table(torch: Any, say: Any) -> None:
    for padding in (None, 2):
        layer = torch.nn.Embedding(5, 2, sparse=True, padding_idx=padding)
        y = layer(torch.tensor([[1, 2], [2, 0]]))
        say(layer, y.grad_fn, _saved(y.grad_fn))
        (y * torch.arange(1.0, 9.0).reshape(2, 2, 2)).sum().backward()
        first = layer.weight.grad
        say(str(first), first.is_coalesced(), first.grad_fn)
        layer(torch.tensor([3, 3])).pow(2).sum().backward()
        say(layer.weight.grad._indices(), layer.weight.grad is first, layer.weight.grad._nnz())
        layer.zero_grad(set_to_none=False)
        say(str(layer.weight.grad))
    layer = torch.nn.Embedding(5, 2, sparse=True, scale_grad_by_freq=True)
    say.error(lambda: layer(torch.tensor([1])).sum().backward())


def bags_of_rows(torch: Any, say: Any) -> None:
    x, begin = torch.tensor([1, 2, 2, 0, 1]), torch.tensor([0, 3])
    for mode, weights in (("sum", None), ("mean", None), ("sum", torch.arange(1.0, 6.0))):
        layer = torch.nn.EmbeddingBag(5, 2, sparse=True, mode=mode)
        y = layer(x, begin, per_sample_weights=weights)
        y.sum().backward()
        say(y.grad_fn, str(layer.weight.grad), layer.weight.grad.is_coalesced())
    layer = torch.nn.EmbeddingBag(5, 2, sparse=True, mode="sum", padding_idx=2)
    layer(x, begin).sum().backward()
    say(str(layer.weight.grad))
    say.error(lambda: torch.nn.EmbeddingBag(5, 2, sparse=True, mode="max")(x, begin))


def numbers_gathered_from_a_tensor(torch: Any, say: Any) -> None:
    for shape, dim, index in (((2, 3), 1, [[0, 0], [2, 1]]), ((2, 3), 0, [[0, 1, 1]]), ((3,), 0, [2, 0])):
        x = torch.arange(float(torch.Size(shape).numel())).reshape(shape).requires_grad_()
        y = torch.gather(x, dim, torch.tensor(index), sparse_grad=True)
        (y * y).sum().backward()
        say(y.grad_fn, str(x.grad))


def two_passes_over_one_leaf(torch: Any, say: Any) -> None:
    w = _table(torch)
    _picked(torch, w, 0, 2).backward()
    (w * w).sum().backward()
    say(w.grad)
    w = _table(torch)
    (w * w).sum().backward()
    kept = w.grad
    _picked(torch, w, 0, 2).backward()
    say(w.grad, w.grad is kept)
    w = _table(torch)
    _picked(torch, w, 0, 2).backward()
    kept = w.grad
    _picked(torch, w, 1, 2).backward()
    say(w.grad._nnz(), w.grad.to_dense(), w.grad is kept)


def two_paths_in_one_pass(torch: Any, say: Any) -> None:
    w = _table(torch)
    (_picked(torch, w, 0, 2) + (w * w).sum()).backward()
    say(w.grad)
    w = _table(torch)
    ((w * w).sum() + _picked(torch, w, 0, 2)).backward()
    say(w.grad)
    w = _table(torch)
    (_picked(torch, w, 0, 2) + _picked(torch, w, 0, 1)).backward()
    say(str(w.grad))
    w = _table(torch)
    (_picked(torch, w, 0, 2) * 2 + _picked(torch, w, 0, 1) * 3 + _picked(torch, w, 1, 1)).backward()
    say(str(w.grad), w.grad.to_dense())


def asked_for_and_hooked_into(torch: Any, say: Any) -> None:
    w = _table(torch)
    say([str(g) for g in torch.autograd.grad(_picked(torch, w, 0, 2), w)])
    say([str(g) for g in torch.autograd.grad(_picked(torch, w, 0, 2), w, create_graph=True)])
    seen = []
    w.register_hook(lambda g: seen.append(str(g)))
    w.register_post_accumulate_grad_hook(lambda p: seen.append(str(p.grad.is_sparse)))
    _picked(torch, w, 0, 2).backward()
    say(seen)
    w = _table(torch)
    w.register_hook(lambda g: g * 2)
    _picked(torch, w, 1).backward()
    say(str(w.grad))
    w = _table(torch)
    w.register_hook(lambda g: g.to_dense())
    say.error(_picked(torch, w, 1).backward)
    say(w.grad)


def a_sparse_leaf(torch: Any, say: Any) -> None:
    s = torch.eye(2).to_sparse().requires_grad_()
    y = s * 2
    y.retain_grad()
    torch.sparse.sum(y).backward()
    say(str(s.grad), str(y.grad))
    torch.sparse.sum(s * 3).backward()
    say(str(s.grad))
    (s * 2).backward(torch.eye(2).to_sparse())
    say(str(s.grad))
    s.to_dense().sum().backward()
    say(str(s.grad))
    s.sum().backward()
    say(str(s.grad))
    say.error(lambda: (s * 2).backward())
    say.error(lambda: setattr(s, "grad", torch.ones(2, 2)))
    s.grad = None
    say(s.grad)


def a_function_that_returns_sparse_gradients(torch: Any, say: Any) -> None:
    class Fixed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, gradient: Any) -> Any:
            ctx.save_for_backward(gradient)
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return ctx.saved_tensors[0], None

    sparse = torch.sparse_coo_tensor([[0, 3, 3]], [1.0, 2.0, 4.0], (4,))
    dense = torch.arange(4.0)
    for gradients in ((sparse,), (sparse, sparse), (sparse, dense), (dense, sparse), (sparse, dense, sparse)):
        x = torch.zeros(4, requires_grad=True)
        sum(Fixed.apply(x, g) for g in gradients).sum().backward()
        say(x.grad.to_dense(), x.grad.is_sparse)


def steps_with_sparse_gradients(torch: Any, say: Any) -> None:
    optim = torch.optim
    for kind, settings in (
        (optim.SGD, {"lr": 0.1}),
        (optim.SGD, {"lr": 0.1, "momentum": 0.9}),
        (optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
        (optim.SGD, {"lr": 0.1, "maximize": True}),
        (optim.SGD, {"lr": 0.1, "weight_decay": 0.1}),
        (optim.SparseAdam, {"lr": 0.1}),
        (optim.SparseAdam, {"lr": 0.1, "betas": (0.5, 0.9), "maximize": True}),
        (optim.Adagrad, {"lr": 0.1}),
        (optim.Adagrad, {"lr": 0.1, "weight_decay": 0.1}),
        (optim.Adam, {}),
        (optim.AdamW, {}),
        (optim.RMSprop, {}),
        (optim.Adadelta, {}),
        (optim.Adamax, {}),
        (optim.NAdam, {}),
        (optim.RAdam, {}),
        (optim.Rprop, {}),
        (optim.ASGD, {}),
    ):
        layer = torch.nn.Embedding(4, 2, sparse=True)
        layer.weight.data = torch.arange(8.0).reshape(4, 2)
        optimizer = kind(layer.parameters(), **settings)
        try:
            for rows in ([1, 2, 2], [1, 3, 1], [0, 2, 2]):
                optimizer.zero_grad()
                layer(torch.tensor(rows)).pow(2).sum().backward()
                optimizer.step()
            state = optimizer.state[layer.weight]
            say(kind.__name__, layer.weight.data, {k: str(v) for k, v in state.items() if k == "step"})
        except Exception as error:
            say(kind.__name__, type(error).__name__, str(error))


def an_optimizer_for_sparse_gradients_only(torch: Any, say: Any) -> None:
    w = torch.ones(2, requires_grad=True)
    w.sum().backward()
    say.error(torch.optim.SparseAdam([w]).step)
    say.error(lambda: torch.optim.SparseAdam([w], lr=-1.0))
    say.error(lambda: torch.optim.SparseAdam([torch.eye(2).to_sparse().requires_grad_()]))
    say(torch.optim.SparseAdam([w]))


def clipping_is_refused(torch: Any, say: Any) -> None:
    w = _table(torch)
    _picked(torch, w, 0).backward()
    say.error(lambda: torch.nn.utils.clip_grad_norm_([w], 0.1))


def batches_of_sparse_gradients_are_refused(torch: Any, say: Any) -> None:
    x = torch.ones(4, dtype=torch.float64, requires_grad=True).to_sparse()
    seeds = torch.eye(4, dtype=torch.float64)
    say.error(lambda: torch.autograd.grad(x.to_dense(), x, seeds, is_grads_batched=True))
    say.error(lambda: torch.autograd.gradcheck(lambda x: x.to_dense(), (x,), masked=True, check_batched_grad=True))
    options = {"masked": True, "check_batched_grad": True, "raise_exception": False}
    say(torch.autograd.gradcheck(lambda x: x.to_dense(), (x,), **options))


def checking_gradients(torch: Any, say: Any) -> None:
    check = torch.autograd.gradcheck
    double = {"dtype": torch.float64}
    x = torch.rand(10, requires_grad=True, **double).to_sparse()
    for fast in (True, False):
        options = {"fast_mode": fast}
        for masked in (True, False):
            say(check(lambda x: x.to_dense(), (x,), masked=masked, **options))
            say(check(lambda x: x.to_dense(masked_grad=False), (x,), masked=masked, **options))
        say.error(lambda options=options: check(lambda x: x * 2, (x,), masked=True, **options))
        s = torch.sparse_coo_tensor([[0, 1, 1], [0, 0, 2]], torch.rand(3, **double), (2, 3)).coalesce().requires_grad_()
        w = torch.rand(3, 2, requires_grad=True, **double)
        say(check(torch.sparse.mm, (s, w), masked=True, **options))
        say(check(lambda a: torch.sparse.softmax(a, 1).to_dense(), (s,), masked=True, **options))
        say(torch.sparse.as_sparse_gradcheck(check)(lambda a: torch.sparse.sum(a, 1).to_dense(), (s,), **options))
        lines = s.detach().to_sparse_csr().requires_grad_()
        say.error(
            lambda options=options, s=lines: check(
                lambda a: a @ torch.ones(3, 1, **double), (s,), masked=True, **options
            )
        )
        say.error(
            lambda options=options, s=s: check(
                lambda a: a.to_dense() * a.detach().to_dense(), (s,), masked=True, raise_exception=True, **options
            )
        )


def gradients_that_a_check_refuses(torch: Any, say: Any) -> None:
    def bent(hook: Any) -> Any:
        def function(x: Any) -> Any:
            y = x.clone()
            y.register_hook(hook)
            return y.to_dense()

        return function

    def raised(x: Any) -> Any:
        y = x.clone().to_dense()
        y.register_hook(lambda g: g + 1e-2)
        return y

    x = torch.ones(2, 2, dtype=torch.float64, requires_grad=True).to_sparse()
    say.error(lambda: torch.autograd.gradcheck(bent(lambda g: g.to_dense().to_sparse(1)), (x,), masked=True, atol=0.1))
    say.error(lambda: torch.autograd.gradcheck(raised, (x,), masked=True, atol=0.1))
    d = torch.rand(4, 4, dtype=torch.float64, requires_grad=True)
    picked = torch.randint(0, 4, (4, 2))
    say.error(
        lambda: torch.autograd.gradcheck(lambda x: torch.gather(x, 1, picked, sparse_grad=True), (d,), masked=True)
    )


def values_made_anew_by_a_function(torch: Any, say: Any) -> None:
    for sparse, dense, count in (([2, 1], [1, 2], 5), ([2, 1], [1, 0, 2], 5), ([], [1, 2], 5), ([2, 1], [1, 2], 0)):
        size = [*sparse, *dense]
        places = (torch.rand(len(sparse), count) * torch.tensor(sparse).reshape(-1, 1)).long()
        given = torch.randn([count, *dense], dtype=torch.float64, requires_grad=True)
        other = torch.sparse_coo_tensor(places, torch.ones([count, *dense], dtype=torch.float64), size)

        def function(v: Any, places: Any = places, size: Any = size, other: Any = other) -> Any:
            y = (torch.sparse_coo_tensor(places, v, size) + other).coalesce()
            return torch.sparse_coo_tensor(y.indices(), y.values().tanh(), y.size()).coalesce().values()

        say(torch.autograd.gradcheck(function, (given,)), function(given).shape)
        say.error(lambda other=other: other.requires_grad_()._values().sum().backward())


def gradients_set_by_hand(torch: Any, say: Any) -> None:
    def pair() -> Any:
        return torch.sparse_coo_tensor([[1, 1]], [1.0, 1.0], (2,))

    for keeps in (False, True):
        for held, arriving in ((pair(), torch.ones(2)), (torch.ones(2), pair()), (pair(), pair())):
            w = torch.ones(2, requires_grad=True)
            w.grad = held
            w.backward(arriving, create_graph=keeps)
            say(w.grad is held, w.grad.is_sparse, w.grad.to_dense())
    w = torch.ones(2, requires_grad=True)
    say.error(lambda: setattr(w, "grad", pair().double()))
    say.error(lambda: setattr(w, "grad", torch.eye(2).to_sparse()))


def a_gradient_that_nobody_else_holds_is_kept(torch: Any, say: Any) -> None:
    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a + b

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            seen.append(grad._values().data_ptr())
            return grad, grad

    seen: list[int] = []
    a, b = (torch.ones(10, 3, requires_grad=True) for _ in range(2))
    numbers, begin = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9]), torch.tensor([0, 4])
    loss = torch.nn.functional.embedding_bag(numbers, Sum.apply(a, b), begin, sparse=True).sum()
    loss.backward(retain_graph=True)
    kept = [t.grad._values().data_ptr() for t in (a, b)]
    say(kept[0] == kept[1], seen[0] in kept)
    loss.backward()
    say(a.grad.to_dense()[2], b.grad.to_dense()[4])


def nan_is_found_in_sparse_gradients(torch: Any, say: Any) -> None:
    w = _table(torch)
    with torch.autograd.set_detect_anomaly(True, check_nan=True):
        _picked(torch, w, 0).backward()
        say(str(w.grad))
        say.error(lambda: (_picked(torch, w, 1) * float("nan")).backward())
