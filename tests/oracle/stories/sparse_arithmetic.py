"""Stories about what sparse tensors do with numbers, with dense tensors and with each other."""

from __future__ import annotations

from typing import Any


def _matrix(torch: Any, requires_grad: bool = False) -> Any:
    """A matrix with three values in order, not known to be so."""
    places, values = torch.tensor([[0, 1, 1], [2, 0, 2]]), torch.tensor([3.0, 4.0, 5.0])
    return torch.sparse_coo_tensor(places, values, (2, 3), requires_grad=requires_grad)


def _twice(torch: Any) -> Any:
    """A matrix with two values at one place."""
    return torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], [1.0, 2.0, 3.0], (2, 2))


def _rows(torch: Any) -> Any:
    """A tensor of two rows that are stored whole."""
    return torch.sparse_coo_tensor([[0, 2]], [[1.0, 2.0], [3.0, 4.0]], (3, 2))


def _vector(torch: Any, places: list[int], values: list[float]) -> Any:
    return torch.sparse_coo_tensor([places], values, (3,))


def _told(torch: Any, say: Any, function: Any) -> None:
    """What a function of a sparse and a dense matrix gives and sends back."""
    s, d = _matrix(torch, requires_grad=True), torch.arange(6.0).reshape(2, 3).requires_grad_()
    try:
        y = function(s, d)
    except Exception as error:
        say(type(error).__name__, str(error).split(" backend")[0].split("\n\n")[0][:70])
        return
    say(str(y), y.grad_fn, [n[0] for n in y.grad_fn.next_functions])
    say([name for name in dir(y.grad_fn) if name.startswith("_saved_")])
    try:
        y = y if y.layout == torch.strided else y.to_dense()
        y.backward(torch.arange(1.0, y.numel() + 1).reshape(y.shape))
        say(str(s.grad), str(d.grad))
    except Exception as error:
        say("backward:", type(error).__name__, str(error).split(" backend")[0].split("\n\n")[0][:70])


def sums_and_differences(torch: Any, say: Any) -> None:
    for function in (
        lambda s, d: s + s,
        lambda s, d: d + s,
        lambda s, d: s + d,
        lambda s, d: s - s,
        lambda s, d: d - s,
        lambda s, d: s - d,
        lambda s, d: s + 1,
        lambda s, d: s - 1,
        lambda s, d: torch.add(s, s, alpha=2),
        lambda s, d: torch.add(d, s, alpha=-3),
        lambda s, d: torch.sub(s, s, alpha=2),
        lambda s, d: s + torch.ones(3),
    ):
        _told(torch, say, function)


def products_and_quotients(torch: Any, say: Any) -> None:
    for function in (
        lambda s, d: s * s,
        lambda s, d: s * d,
        lambda s, d: d * s,
        lambda s, d: s * 2,
        lambda s, d: 2 * s,
        lambda s, d: s * torch.tensor(2.0),
        lambda s, d: s * torch.tensor([1.0, 2.0, 3.0]),
        lambda s, d: s / 2,
        lambda s, d: s / torch.tensor(2.0),
        lambda s, d: s / d,
        lambda s, d: d / s,
        lambda s, d: -s,
        lambda s, d: s**2,
        lambda s, d: s.pow(3),
        lambda s, d: s.square(),
        lambda s, d: s**0,
    ):
        _told(torch, say, function)


def functions_that_leave_zero_alone(torch: Any, say: Any) -> None:
    for function in (
        lambda s, d: s.abs(),
        lambda s, d: s.relu(),
        lambda s, d: torch.nn.functional.relu(s),
        lambda s, d: s.sqrt(),
        lambda s, d: s.sin(),
        lambda s, d: s.exp(),
        lambda s, d: s.sigmoid(),
        lambda s, d: s.max(),
        lambda s, d: s == s,
        lambda s, d: s > 1,
        lambda s, d: torch.softmax(s, 1),
        lambda s, d: torch.nn.functional.dropout(s * 1, 0.0),
    ):
        _told(torch, say, function)
    u = _twice(torch)
    say(str(u.abs()), str(-u), str(u**2), str(u.sqrt()), str(torch.relu(u)), str(u.tan()), str(u.isnan()))
    say([f(u).is_coalesced() for f in (torch.neg, torch.abs, torch.clone, torch.floor)])


def moving_dimensions(torch: Any, say: Any) -> None:
    for function in (
        lambda s, d: s.t(),
        lambda s, d: s.T,
        lambda s, d: s.mT,
        lambda s, d: s.transpose(0, 1),
        lambda s, d: s.permute(1, 0),
        lambda s, d: s.reshape(3, 2),
        lambda s, d: s.flatten(),
        lambda s, d: s.view(-1),
        lambda s, d: s.expand(2, 2, 3),
        lambda s, d: torch.stack([s, s]),
    ):
        _told(torch, say, function)
    s, h = _matrix(torch), _rows(torch)
    say(
        str(s.unsqueeze(0)),
        str(s[0]),
        s[0, 2],
        str(s[-1]),
        str(s.select(1, 0)),
        str(s.index_select(0, torch.tensor([1]))),
    )
    say(str(torch.cat([s, s])), str(torch.cat([s, s], 1)), str(h.select(1, 0)), h[0], str(torch.cat([h, h], 1)))
    say([s.t()._is_view(), s.coalesce().t().is_coalesced(), s.transpose(0, 1)._is_view()])
    say([len(list(s)), str(next(iter(s)))])
    for call in (
        h.t,
        lambda: h.transpose(0, 1),
        lambda: h.permute(1, 0),
        lambda: s[5],
        lambda: torch.cat([h, torch.ones(3, 2)]),
    ):
        say.error(call)


def two_lists_of_places(torch: Any, say: Any) -> None:
    a, b = _vector(torch, [0, 1], [1.0, 2.0]), _vector(torch, [2, 1], [5.0, 7.0])
    say(str(a + b), str(a.coalesce() + b.coalesce()), str(a.coalesce() + b), str(a.coalesce() - b))
    say(str(a * b), str(b * a), str(a.coalesce() * b))
    u = _twice(torch)
    say(str(u + u), str(u * u), str(u * 2), str(u * torch.ones(2, 2) * 2), str(u.t()), u.to_dense())
    say([(a + b).is_coalesced(), (a.coalesce() + b.coalesce()).is_coalesced(), (a * b).is_coalesced()])
    say(str(u + torch.sparse_coo_tensor([[0], [1]], [1], (2, 2))), str(torch.ones(2, 2) + u))
    say.error(lambda: a + torch.sparse_coo_tensor([[0]], [1.0], (4,)))
    say.error(lambda: a * torch.sparse_coo_tensor([[0]], [1.0], (4,)))
    say.error(lambda: torch.ones(4) + a)
    say.error(lambda: torch.ones(2, 3) + a)
    say.error(lambda: _rows(torch) * torch.ones(4, 2))


def rows_that_are_stored_whole(torch: Any, say: Any) -> None:
    h = _rows(torch)
    say(str(h + h), str(h * 2), str(h * torch.ones(3, 2)), h.sparse_dim(), h.dense_dim())
    say(str(torch.sparse.sum(h, 1)), torch.sparse.sum(h, 0), torch.sparse.sum(h))
    say(str(torch.sparse.softmax(h, 0)), str(torch.sparse.softmax(h, 1)))
    say.error(lambda: torch.sparse.mm(h, torch.ones(2, 2)))


def matrix_products(torch: Any, say: Any) -> None:
    w = torch.arange(12.0).reshape(3, 4)
    for function in (
        lambda s, v: torch.sparse.mm(s, v),
        lambda s, v: torch.mm(s, v),
        lambda s, v: s @ v,
        lambda s, v: torch.spmm(s, v),
        lambda s, v: s @ v[:, 0],
        lambda s, v: torch.ones(4, 2) @ s,
        lambda s, v: torch.sparse.mm(v.t(), s.t()),
        lambda s, v: torch.sparse.addmm(torch.ones(2, 4), s, v, beta=2, alpha=3),
        lambda s, v: torch.addmm(torch.ones(2, 4), s, v),
        lambda s, v: torch.sparse.mm(s, s.t()),
        lambda s, v: s @ s.t(),
        lambda s, v: torch.nn.functional.linear(s, torch.ones(4, 3), torch.ones(4)),
    ):
        s, v = _matrix(torch, requires_grad=True), w.clone().requires_grad_()
        y = function(s, v)
        say(str(y), y.grad_fn, [n[0] for n in y.grad_fn.next_functions])
        say([name for name in dir(y.grad_fn) if name.startswith("_saved_")])
        (torch.sparse.sum(y) if y.is_sparse else y.sum()).backward()
        say(str(s.grad), str(v.grad))
    u = _twice(torch)
    say.error(lambda: torch.sparse.mm(u, torch.ones(3, 2)))
    say.error(lambda: u @ torch.ones(3, 2))
    say.error(lambda: torch.sparse.mm(u, torch.ones(2, 2, dtype=torch.float64)))
    say(
        torch.sparse.mm(torch.ones(2, 2), torch.ones(2, 2)),
        u @ torch.ones(2, 2),
        torch.bmm(u.unsqueeze(0), torch.ones(1, 2, 2)),
    )


def sums_of_what_is_stored(torch: Any, say: Any) -> None:
    for function in (
        lambda s, d: s.sum(),
        lambda s, d: torch.sparse.sum(s),
        lambda s, d: torch.sparse.sum(s, 0),
        lambda s, d: torch.sparse.sum(s, dim=1),
        lambda s, d: torch.sparse.sum(s, -1),
        lambda s, d: torch.sparse.sum(s, (0, 1)),
        lambda s, d: torch.sparse.sum(s, dtype=torch.float64),
        lambda s, d: torch.sparse.sum(s, (0, 0)),
        lambda s, d: torch.sparse.sum(s, 3),
        lambda s, d: torch.sparse.sum(d),
    ):
        _told(torch, say, function)
    say(str(_matrix(torch).sum(0)), _matrix(torch).any())
    s = _matrix(torch, requires_grad=True)
    say([str(g) for g in torch.autograd.grad(torch.sparse.sum(s * s, (0,)).to_dense().sum(), s)])


def shares_among_what_is_stored(torch: Any, say: Any) -> None:
    for function in (
        lambda s, d: torch.sparse.softmax(s, 1),
        lambda s, d: torch.sparse.softmax(s, 0),
        lambda s, d: torch.sparse.log_softmax(s, dim=1),
    ):
        s = _matrix(torch, requires_grad=True).double()
        leaf = s.detach().requires_grad_()
        y = function(leaf, None)
        say(y.grad_fn, y.is_coalesced(), y._indices(), y._values())
        y.to_dense().backward(torch.arange(1.0, 7.0, dtype=torch.float64).reshape(2, 3))
        say(leaf.grad._indices(), leaf.grad._values())
    say(torch.sparse.softmax(_matrix(torch), 1, dtype=torch.float64)._values())


def a_dense_tensor_seen_through_a_mask(torch: Any, say: Any) -> None:
    for function in (
        lambda s, d: d.sparse_mask(s.detach().coalesce()),
        lambda s, d: s.sparse_mask(s.detach().coalesce()),
        lambda s, d: (d * d).sparse_mask(s.detach()),
    ):
        _told(torch, say, function)
    u = _twice(torch)
    say(str(torch.ones(2, 2).sparse_mask(u)), str(u.sparse_mask(torch.eye(2).to_sparse())))
    say(str(torch.ones(2, 2).sparse_mask(torch.eye(2).to_sparse_csr())))
    say.error(lambda: torch.ones(2, 3).sparse_mask(u))
    say.error(lambda: torch.ones(2, 2).sparse_mask(torch.ones(2, 2)))


def arithmetic_of_compressed_rows(torch: Any, say: Any) -> None:
    c, e = torch.eye(2).to_sparse_csr(), torch.tensor([[0.0, 1.0], [2.0, 3.0]]).to_sparse_csr()
    say(str(c + e), str(c * e), str(c * 2), str(e * torch.ones(2, 2)), c + torch.ones(2, 2), torch.ones(2, 2) + c)
    say(str(c @ e), c @ torch.ones(2), torch.ones(2, 2) @ e, e.sum(), str(e.sin()), str(e.neg()), str(e.abs()))
    say(str(e.transpose(0, 1)), str(e[1]), str(e.clone()), str(c * torch.eye(2).to_sparse()), str(torch.ones_like(e)))
    for call in (lambda: e**2, lambda: e - c, lambda: e / 2, lambda: e.exp(), lambda: e.unsqueeze(0)):
        say.error(call)
    s = e.clone().requires_grad_()
    w = torch.ones(2, 2, requires_grad=True)
    (s @ w).sum().backward()
    say(str(s.grad), w.grad)
    s.grad = None
    torch.sparse.mm(s, w).sum().backward()
    say(str(s.grad))


def writing_in_place(torch: Any, say: Any) -> None:
    s = _matrix(torch)
    say(str(s.add_(s)), s._version, str(s.mul_(2)), str(s.neg_()), str(s.div_(4)))
    d = torch.zeros(2, 3)
    say(d.add_(_matrix(torch)), d.sub_(_matrix(torch), alpha=2), d._version)
    say.error(lambda: s.add_(torch.ones(2, 3)))
    leaf = _matrix(torch, requires_grad=True)
    say.error(lambda: leaf.mul_(2))
    y = leaf * 1
    y.mul_(3)
    say(y.grad_fn, str(torch.autograd.grad(torch.sparse.sum(y), leaf)[0]))
