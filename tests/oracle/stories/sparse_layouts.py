"""Stories about what sparse tensors are made of, how they print, and how they are converted."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any


def _places(torch: Any) -> Any:
    return torch.tensor([[0, 1, 1], [2, 0, 2]])


def _matrix(torch: Any, requires_grad: bool = False) -> Any:
    """A matrix with three values in order, not known to be so."""
    return torch.sparse_coo_tensor(_places(torch), torch.tensor([3.0, 4.0, 5.0]), (2, 3), requires_grad=requires_grad)


def _twice(torch: Any) -> Any:
    """A matrix with two values at one place."""
    return torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], [1.0, 2.0, 3.0], (2, 2))


def _saved(node: Any) -> list[str]:
    return [name for name in dir(node) if name.startswith("_saved_") and "blocksize" not in name]


def making_one_of_places_and_values(torch: Any, say: Any) -> None:
    say(str(_matrix(torch)))
    say(str(torch.sparse_coo_tensor([[0, 1], [1, 0]], [1, 2])))
    say(str(torch.sparse_coo_tensor([[0, 1]], [[1.0, 2.0], [3.0, 4.0]], (2, 2))))
    say(str(torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (2,), dtype=torch.float64, is_coalesced=True)))
    say(str(torch.sparse_coo_tensor((2, 3))), str(torch.sparse_coo_tensor(size=(2, 3), dtype=torch.int32)))
    say(str(torch.sparse_coo_tensor(torch.empty(0, 3, dtype=torch.int64), [5.0, 6.0, 7.0], ()).coalesce()))
    say(str(torch.sparse_coo_tensor(torch.zeros(1, 2, dtype=torch.int64), torch.zeros(2, 0), (2, 0))))
    say(str(_matrix(torch, requires_grad=True)))
    say(str(torch.sparse_coo_tensor(torch.arange(2000).reshape(1, -1), torch.arange(2000.0), (2000,))))
    say(str(torch.zeros(2, 3, layout=torch.sparse_coo)), str(torch.zeros_like(_matrix(torch))))


def what_it_answers(torch: Any, say: Any) -> None:
    for s in (_matrix(torch), _matrix(torch).coalesce(), torch.eye(2).to_sparse_csr(), torch.ones(2, 2)):
        say(s.layout, s.is_sparse, s.is_sparse_csr, s.sparse_dim(), s.dense_dim(), s.shape, s.numel(), s.ndim)
    s = _matrix(torch)
    say(s._nnz(), s.is_coalesced(), s.type(), s.element_size(), s.is_contiguous(), s.stride(), s.is_leaf, len(s))
    say(s._indices(), s._values(), s.coalesce().indices(), s.coalesce().values())
    say(s.coalesce().coalesce().is_coalesced(), isinstance(s, torch.Tensor), str(s) == repr(s))
    say(torch.is_tensor(s), s.dtype, s.device, s.requires_grad)


def what_is_refused_in_making_one(torch: Any, say: Any) -> None:
    make = torch.sparse_coo_tensor
    say.error(lambda: make([[0, 1], [1, 0]], [1, 2, 3], (2, 2)))
    say.error(lambda: make([[0, 1], [1, 0]], [1.0, 2.0], (2,)))
    say.error(lambda: make([0, 1], [1.0, 2.0], (2,)))
    say.error(lambda: make([0, 1], [1.0], (3, 3)))
    say.error(lambda: make([[0, 1]], [[1.0, 2.0], [3.0, 4.0]], (2, 3)))
    say.error(lambda: make([[0, -1]], [1.0, 2.0]))
    say.error(lambda: make([[0, 1]], [1.0, 2.0], (2,), dtype=torch.int64, requires_grad=True))
    say.error(lambda: make([[1, 0]], [1.0, 2.0], (2,), is_coalesced=True, check_invariants=True))
    say.error(lambda: make([[0, -3], [1, 0]], [1, 2], (2, 2), check_invariants=True))
    with torch.sparse.check_sparse_tensor_invariants():
        say(torch.sparse.check_sparse_tensor_invariants.is_enabled())
        say.error(lambda: make([[0, 3], [1, 0]], [1, 2], (2, 2)))
    say(torch.sparse.check_sparse_tensor_invariants.is_enabled())
    rows = torch.sparse_csr_tensor
    say.error(lambda: rows([0, 1, 3], [1, 0, 2], [1.0, 2, 3], (3, 3), check_invariants=True))
    say.error(lambda: rows([0, 1, 2], [1, 0, 2], [1.0, 2, 3], (2, 3), check_invariants=True))
    say.error(lambda: rows([1, 1, 3], [1, 0, 2], [1.0, 2, 3], (2, 3), check_invariants=True))
    say.error(lambda: rows([0, 1, 3], [1, 0, 5], [1.0, 2, 3], (2, 3), check_invariants=True))
    say.error(lambda: rows([0, 1, 3], [1, 0, 2], [1.0, 2], (2, 3), check_invariants=True))


def what_one_layout_has_and_another_has_not(torch: Any, say: Any) -> None:
    dense, rows, both = torch.ones(2), torch.eye(2).to_sparse_csr(), _twice(torch)
    for call in (
        dense.indices, dense.values, dense._nnz, dense.coalesce, dense.is_coalesced, dense.crow_indices, rows.indices,
        rows.coalesce, rows.ccol_indices, both.values, both.indices, both.crow_indices,
    ):  # fmt: skip
        say.error(call)
    say.error(lambda: _matrix(torch).numpy())
    say.error(lambda: _matrix(torch).tolist())
    say.error(lambda: _matrix(torch).data_ptr())
    say.error(lambda: _matrix(torch).item())
    say.error(lambda: _matrix(torch).__setitem__(0, 1.0))
    say.error(lambda: _matrix(torch).contiguous())
    say.error(lambda: bool(_matrix(torch)))
    say(float(torch.tensor(3.0).to_sparse()))


def bringing_places_in_order(torch: Any, say: Any) -> None:
    s = _twice(torch)
    c = s.coalesce()
    say(s._nnz(), c._nnz(), s.is_coalesced(), c.is_coalesced(), c is c.coalesce(), c.indices(), c.values())
    many = torch.sparse_coo_tensor([[2, 0, 2, 1], [1, 1, 1, 0]], [[1.0], [2.0], [3.0], [4.0]], (3, 2, 1))
    say(str(many), str(many.coalesce()))
    v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    t = torch.sparse_coo_tensor([[0, 0, 1]], v, (2,))
    say(t.coalesce().grad_fn, _saved(t.coalesce().grad_fn), t.coalesce().grad_fn.next_functions[0][0])
    (t.coalesce().values() * torch.tensor([10.0, 20.0])).sum().backward()
    say(v.grad)


def from_dense_and_back(torch: Any, say: Any) -> None:
    d = torch.tensor([[0, 1.0, 0], [2.0, 0, 3.0]], requires_grad=True)
    say(str(d.to_sparse()), d.to_sparse().is_coalesced(), _saved(d.to_sparse().grad_fn))
    say(str(d.to_sparse(1)), d.to_sparse(1).grad_fn, str(d.detach().to_sparse_coo()))
    say(str(d.to_sparse(layout=torch.sparse_csr)), str(d.to_sparse_csr()), str(d.to_sparse_csc()))
    say(str(torch.tensor([0, 1, 2]).to_sparse()), str(torch.tensor(3.0).to_sparse()), str(torch.zeros(3).to_sparse()))
    say.error(lambda: d.to_sparse(3))
    say.error(lambda: d.to_sparse(0))
    say.error(lambda: torch.ones(3).to_sparse_csr())
    say.error(lambda: torch.ones(3).to_sparse().to_sparse_csr())
    s = _matrix(torch, requires_grad=True)
    say(s.to_sparse() is s, d.to_dense() is d, s.to_dense(), _saved(s.to_dense().grad_fn))
    say.error(lambda: s.to_dense(dtype=torch.float64))
    say(str(s.double()), str(s.long()), s.half().dtype)


def gradients_of_conversions(torch: Any, say: Any) -> None:
    for convert in (
        lambda x: x.to_sparse(),
        lambda x: x.to_sparse(1),
        lambda x: x.to_sparse_csr(),
        lambda x: x.to_sparse_csc(),
        lambda x: x.to_sparse().to_sparse_csr(),
        lambda x: x.to_sparse_csr().to_sparse_coo(),
    ):
        d = torch.tensor([[0, 1.0, 0], [2.0, 0, 3.0]], requires_grad=True)
        (convert(d).to_dense() * torch.arange(6.0).reshape(2, 3)).sum().backward()
        say(d.grad)
    for masked in (None, True, False):
        s = _matrix(torch, requires_grad=True)
        (s.to_dense(masked_grad=masked) * torch.arange(6.0).reshape(2, 3)).sum().backward()
        say(str(s.grad))


def values_that_require_grad(torch: Any, say: Any) -> None:
    v = torch.tensor([3.0, 4.0, 5.0], requires_grad=True)
    s = torch.sparse_coo_tensor(_places(torch), v, (2, 3))
    say(str(s), s.is_leaf, _saved(s.grad_fn), s.grad_fn.next_functions[0][0])
    (s.to_dense() * torch.arange(6.0).reshape(2, 3)).sum().backward()
    say(v.grad)
    again = torch.sparse_coo_tensor(_places(torch), v, (2, 3), requires_grad=True)
    say(again.grad_fn, again.is_leaf)
    with torch.no_grad():
        say(str(torch.sparse_coo_tensor(_places(torch), v, (2, 3))))
    c = s.coalesce()
    say(c.values(), c.values()._is_view(), c.indices()._is_view(), _saved(c.values().grad_fn), s._values())
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    r = torch.sparse_csr_tensor([0, 1, 3], [1, 0, 2], w, (2, 3))
    say(str(r), _saved(r.grad_fn), r.values())
    (r @ torch.ones(3, 2)).sum().backward()
    say(w.grad)


def compressed_rows_and_columns(torch: Any, say: Any) -> None:
    c = torch.sparse_csr_tensor([0, 1, 3], [1, 0, 2], [1.0, 2.0, 3.0], (2, 3))
    say(str(c), c.crow_indices(), c.col_indices(), c.values(), c._nnz(), c.to_dense())
    say(str(torch.sparse_csr_tensor(torch.tensor([0, 1, 3]), torch.tensor([1, 0, 2]), torch.ones(3))))
    say(str(torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1), requires_grad=True, dtype=torch.float64)))
    t = c.t()
    say(
        str(t),
        t.ccol_indices(),
        t.row_indices(),
        str(c.to_sparse_csc()),
        str(t.to_sparse()),
        c.to_sparse().is_coalesced(),
    )
    say(str(torch.sparse_csc_tensor([0, 1, 1], [1], [5.0])))
    say(str(torch.sparse_compressed_tensor([0, 1], [0], [5.0], layout=torch.sparse_csc)))


def copies_and_what_they_share(torch: Any, say: Any) -> None:
    s = _matrix(torch, requires_grad=True)
    x = s.detach()
    x._values().mul_(2)
    say(s._values(), x._version, s._version)
    x.zero_()
    say(x._nnz(), s._nnz(), x.is_coalesced())
    y = _matrix(torch)
    say(str(y.clone()), y.clone().is_coalesced(), str(copy.deepcopy(y)))
    y.copy_(_twice(torch).to_dense().new_zeros(2, 3).to_sparse())
    say(y._nnz())
    say.error(lambda: torch.empty(2, 3).copy_(_matrix(torch)))
    say(str(torch.nn.Parameter(_matrix(torch))))
    say(str(torch.zeros(2, 2).to_sparse().sparse_resize_((3, 3), 2, 0)))


def diagonals(torch: Any, say: Any) -> None:
    say(str(torch.sparse.spdiags(torch.ones(1, 3), torch.tensor([0]), (3, 3))))
    rows = torch.arange(9.0).reshape(3, 3)
    say(torch.sparse.spdiags(rows, torch.tensor([0, -1, 2]), (3, 3)).to_dense())
    say(torch.sparse.spdiags(rows, torch.tensor([1, -2, 0]), (2, 4)).to_dense())
    say.error(lambda: torch.sparse.spdiags(rows, torch.tensor([0, 1]), (3, 3)))
    say.error(lambda: torch.sparse.spdiags(rows, torch.tensor([0, 1, 1]), (3, 3)))


def print_options_reach_it(torch: Any, say: Any) -> None:
    s = torch.sparse_coo_tensor([[0, 2]], [1.23456789, 2e-5], (3,))
    for options in ({"precision": 2}, {"sci_mode": True}, {"linewidth": 40}, {"profile": "default"}):
        torch.set_printoptions(**options)
        say(str(s), str(s.to_sparse(layout=torch.sparse_coo)))
    torch.set_printoptions(profile="default")


def comparing_what_is_stored(torch: Any, say: Any) -> None:
    close = torch.testing.assert_close
    s = torch.eye(2).to_sparse()
    say(close(s, s.clone()), close(s.to_sparse_csr(), s.to_sparse_csr()), close(s, torch.eye(2), check_layout=False))
    for other in (
        torch.eye(2),
        torch.tensor([[1.0, 1.0], [0.0, 1.0]]).to_sparse(),
        torch.tensor([[0.0, 1.0], [1.0, 0.0]]).to_sparse(),
        s * 2,
        s.double(),
        s.to_sparse_csr(),
    ):
        say.error(lambda other=other: close(s, other))
    say.error(lambda: close(s.to_sparse_csr(), torch.tensor([[0.0, 1.0], [1.0, 0.0]]).to_sparse_csr()))


def saving_and_loading(torch: Any, say: Any) -> None:
    for s in (torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr(), torch.eye(2).to_sparse().requires_grad_()):
        say(str(pickle.loads(pickle.dumps(s))))
        held = io.BytesIO()
        torch.save({"a": s}, held)
        held.seek(0)
        say(str(torch.load(held)["a"]))
    module = torch.nn.Module()
    module.register_buffer("a", torch.eye(2).to_sparse())
    say(str(module.state_dict()))


def few_values_are_in_order(torch: Any, say: Any) -> None:
    cases: tuple[list[list[int]], ...] = ([[], []], [[1], [0]], [[1, 0], [0, 1]])
    for places in cases:
        s = torch.sparse_coo_tensor(torch.tensor(places, dtype=torch.int64), torch.ones(len(places[0])), (2, 2))
        say(
            s.is_coalesced(), s.t().is_coalesced(), s.t().t().is_coalesced(), (s.t() + s).is_coalesced(), (s * s)._nnz()
        )
        say(
            (s / 2).is_coalesced(),
            s.coalesce() is s,
            (s * torch.eye(2).to_sparse())._nnz(),
            s.t().coalesce().is_coalesced(),
        )
