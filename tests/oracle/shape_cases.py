"""Programs about views, indexing, joining, scattering and in-place writes, by the source file they judge."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    name: [line.replace("\\n", "\n") for line in text.strip().splitlines()]
    for name, text in {
        "arrangement": """
x.t() + n
n + x.t().contiguous().t()
x.t().contiguous().t() + n
torch.where(x.t().contiguous().t() > 0, n, x)
c.expand(2, 4, 3).exp()
c.expand(2, 4, 3).transpose(0, 2).tanh()
v.expand(3, 4) * x
x.t().clone()
c.expand(2, 4, 3).clone()
c.expand(2, 4, 3).transpose(1, 2).clone()
torch.zeros_like(c.expand(2, 4, 3).transpose(1, 2))
x[:, ::2].exp()
x.t()[torch.tensor([0, 1])]
x.t()[:, torch.tensor([0, 1])]
x.t().cumsum(0)
x.t().sort(0)[0]
x.t().flip(0)
x.t().roll(1, 0)
x.t().contiguous().t().sum(0, keepdim=True)
c.transpose(0, 2).mean(1)
c.transpose(0, 2).norm(2, 0)
torch.cat([x.t(), x.t()])
x.t().masked_fill(x.t() > 1, 0.0)
x.t().gather(0, torch.zeros(4, 3, dtype=torch.int64))
x.t().scatter_add(0, torch.zeros(4, 3, dtype=torch.int64), x.t())
x.t().index_fill(0, torch.tensor([0]), 2.0)
2 ** x.t()
x.t().to(torch.float32)
torch.nn.functional.logsigmoid(x.t())
x.t().rot90()
torch.complex(x.t(), x.t()).real
""",
        "shape": """
x.view(2, 6)
x.view((4, 3))
x.view(-1)
x.view(2, -1)
x.view(-1, 1, 4)
x.view(x.shape)
x.view(torch.int64)
n.view(torch.int32)
n.view(torch.int64)
x.t().view(12)
x.view(5)
x.view(-1, -1)
x.view(5, -1)
x.view(-2, -6)
torch.zeros(0, 2).view(-1, 0)
x[:, :2].view(3, 2, 1)
c.view(6)
c.expand(2, 4, 3).view(2, 2, 2, 3)
x.t().view(2, 2, 3)
x.reshape(6, 2)
x.reshape((2, 2, 3))
x.reshape(shape=(12,))
torch.reshape(x, (-1,))
torch.reshape(input=x, shape=(2, 6))
x.t().reshape(12)
x.t().reshape(2, 2, 3)
x[:, ::2].reshape(3, 2, 1)
x[:, ::2].reshape(6)
s.reshape(1, 1)
x.reshape(7)
x.reshape(5, -1)
x.flatten()
x.flatten(0, 0)
c.flatten(1)
c.flatten(0, 1)
c.flatten(start_dim=-2)
s.flatten()
v.flatten()
x.flatten(1, 0)
x.flatten(3)
x.t().flatten()
x.ravel()
x.t().ravel()
x.unflatten(1, (2, 2))
x.unflatten(-1, (2, -1))
x.unflatten(0, (2, 2))
x.view_as(torch.zeros(4, 3))
x.reshape_as(c.expand(2, 2, 3))
""",
        "axes": """
x.t()
v.t()
s.t()
c.t()
x.T
x.mT
x.H
x.mH
c.mT
v.mT
c.mH
c.H
x.transpose(0, 1)
c.transpose(-1, 0)
s.transpose(0, -1)
torch.swapaxes(c, 0, 2)
c.swapaxes(axis0=1, axis1=2)
x.transpose(0, 2)
c.permute(2, 0, 1)
c.permute((0, -1, 1))
torch.permute(c, dims=(1, 2, 0))
c.permute(0, 1)
c.permute(0, 0, 1)
c.permute(0, 1, 3)
c.movedim(0, 2)
c.movedim((0, 1), (2, 0))
torch.moveaxis(c, -1, 0)
c.movedim((0, 1), (2, 2))
x.unsqueeze(0)
x.unsqueeze(-1)
s.unsqueeze(0)
x.t().unsqueeze(1)
x[1:].unsqueeze(0)
x.unsqueeze(4)
c.squeeze()
c.squeeze(1)
c.squeeze(-2)
c.squeeze(0)
c.squeeze(dim=(0, 1))
c.squeeze((1, 1))
c.squeeze(5)
s.squeeze()
s.squeeze(0)
torch.squeeze(input=c, dim=1)
x.adjoint()
v.adjoint()
torch.atleast_1d(s)
torch.atleast_2d(v)
torch.atleast_3d(x)
torch.atleast_3d(v)
torch.atleast_2d(s, v, x)
""",
        "slicing": """
x.select(0, 1)
x.select(1, -1)
x.select(0, 5)
x.select(2, 0)
s.select(0, 0)
x.narrow(1, 1, 2)
x.narrow(-1, -2, 1)
x.narrow(0, torch.tensor(1), 2)
x.narrow(0, 2, 2)
x.narrow(0, 0, -1)
x.narrow(0, -5, 2)
s.narrow(0, 0, 1)
x.diagonal()
x.diagonal(1)
x.diagonal(-1)
x.diagonal(9)
c.diagonal(0, 0, 2)
c.diagonal(offset=-1, dim1=2, dim2=0)
x.diagonal(0, 0, 0)
x.t().diagonal(2)
x.unfold(1, 2, 1)
x.unfold(1, 2, 2)
x.unfold(0, 3, 1)
v.unfold(0, 3, 1)
s.unfold(0, 1, 1)
x.unfold(1, 5, 1)
x.unfold(1, 2, 0)
torch.select(input=x, dim=0, index=2)
""",
        "expansion": """
s.expand(2, 3)
v.expand(3, 4)
v.expand(3, -1)
c.expand(2, 5, 3)
c.expand(4, 2, 5, 3)
c.expand(1, -1, 1, -1)
x.expand(4)
x.expand(-1, 3, 4)
x.expand(2, 4)
v.expand_as(x)
torch.broadcast_to(v, (2, 4))
torch.broadcast_tensors(x, v)
torch.broadcast_tensors(c, s)
torch.broadcast_tensors(x, x)
torch.broadcast_tensors(x, c)
torch.broadcast_shapes((3, 1), (1, 4), (4,))
torch.broadcast_shapes((3,), (4,))
v.repeat(2)
v.repeat(2, 2)
x.repeat(1, 1)
c.repeat(2, 3, 1, 1)
c.repeat(0, 1, 1)
s.repeat(3)
x.repeat(2)
x.repeat(-1, 1)
v.tile(2)
x.tile((2,))
x.tile(dims=(2, 1))
s.tile((2, 2))
v.repeat_interleave(2)
x.repeat_interleave(2)
x.repeat_interleave(2, dim=0)
x.repeat_interleave(torch.tensor([1, 0, 2]), dim=0)
x.repeat_interleave(torch.tensor([2]), dim=1)
s.repeat_interleave(3)
torch.repeat_interleave(torch.tensor([1, 0, 2]))
x.repeat_interleave(torch.tensor([1, 2]), dim=0)
x.repeat_interleave(-1)
""",
        "splitting": """
x.split(2)
x.split(3, dim=1)
x.split(5)
x.split([1, 3], 1)
x.split((1, 2))
torch.split(x, 2, 1)[1]
torch.split(tensor=x, split_size_or_sections=[2, 1])[0]
x.split([1, 1])
x.split([1, -1, 3])
x.split(0)
x.split(-1)
s.split(1)
x.split(1, 2)
x.chunk(2)
x.chunk(3, dim=1)
x.chunk(5)
x.chunk(0)
x.unbind()
x.unbind(1)[2]
c.unbind(-2)
s.unbind()
x.unbind(2)
x.tensor_split(2)
x.tensor_split(3, dim=-1)
x.tensor_split((1, 3), dim=1)
x.tensor_split(torch.tensor([1]), dim=0)
x.tensor_split(0)
x.hsplit(2)
v.hsplit([1, 3])
x.vsplit(3)
x.hsplit(3)
v.vsplit(1)
c.dsplit(3)
x.dsplit(1)
x.split_with_sizes([2, 1])
x.unsafe_chunk(2)
x.unsafe_split(2)
a, b, d = x;r = a * b + d
r = [row for row in x]
r = x.unbind()[0] * x.unbind()[1]
""",
        "joining": """
torch.cat([x, n])
torch.cat((x, x), 1)
torch.cat([x, v.view(1, 4)], dim=0)
torch.cat([x[:1], x[1:]], dim=-2)
torch.concat([v, v])
torch.concatenate([v, s.view(1)], axis=0)
torch.cat([torch.zeros(0), v])
torch.cat([v.float(), v])
torch.cat([i, v])
torch.cat([])
torch.cat([x, v])
torch.cat([x, x[:, :2]])
torch.cat([s, s])
torch.cat(x)
torch.cat([x, 1])
torch.cat([x, x], 2)
torch.stack([v, v])
torch.stack((x, n), dim=1)
torch.stack([x, x], -1)
torch.stack([s, s * 2])
torch.stack([v, i])
torch.stack([])
torch.hstack([v, v])
torch.hstack([x, x])
torch.vstack([v, v, x])
torch.row_stack([v, x])
torch.dstack([x, x])
torch.dstack([v, v])
torch.column_stack([v, v])
torch.column_stack([x[:, 0], x])
torch.hstack([])
torch.block_diag(x, v)
torch.block_diag(s, x)
torch.block_diag(c)
torch.meshgrid(v, s, indexing="ij")
torch.meshgrid(v, x[:, 0], indexing="xy")
torch.meshgrid([v, v], indexing="ij")
torch.meshgrid(v, v, indexing="ab")
torch.meshgrid(x, v)
torch.cartesian_prod(v, x[:, 0])
torch.cartesian_prod(v)
torch.combinations(v)
torch.combinations(v, 3)
torch.combinations(v, 2, with_replacement=True)
torch.combinations(v, 0)
torch.combinations(x)
""",
        "indexing": """
x[0]
x[-1]
x[0, 1]
x[:, 1]
x[1:]
x[:2, 1:3]
x[::2, ::3]
x[-2:, -2:]
x[:]
x[:, :]
x[0:3, 0:9]
x[...]
x[..., 0]
x[0, ...]
x[..., ...]
x[None]
x[:, None]
x[None, ..., None]
x[()]
x[0:0]
x[2:1]
x[5:]
x[-9:2]
x[[0, 2]]
x[i]
x[:, i]
x[i, i]
x[i, :, None]
x[None, i]
x[i, None, i]
x[0, i]
x[i, 0]
x[1:, i]
x[i][:, i]
x[[0, 0, 0]]
x[[[0, 1], [1, 2]]]
x[torch.tensor([[0, 1], [1, 2]])]
x[[True, False, True]]
x[torch.tensor([True, False, True])]
x[m]
x[m, None]
x[m & False]
x[x > 1.5]
x[True]
x[False]
x[None, True]
x[0, True]
x[torch.tensor(1)]
x[torch.tensor(True)]
x[torch.tensor([], dtype=torch.int64)]
x[[]]
x[range(2)]
x[(0, 1),]
x[torch.tensor([-1, 0])]
x[i.int()]
x[i.to(torch.uint8)]
c[0, 0, i]
c[:, 0, i]
c[i - 2, :, i]
c[i - 2, 0]
s[()]
s[...]
s[None]
s[True]
s[0]
s[:]
x[3]
x[-4]
x[0, 4]
x[0, 0, 0]
x[[3]]
x[[-4]]
x[i, [0, 1, 2]]
x[1.5]
x["a"]
x[::-1]
x[::0]
x[torch.tensor([0.5])]
x[torch.tensor([True])]
x[m, 0]
x[torch.tensor(0):torch.tensor(2)]
x[0.5:]
x[{}]
x[1:][0][1:]
x[0][0]
x.t()[1:, 0]
""",
        "assignment": """
r = x.clone(); r[0] = 5.0
r = x.clone(); r[0] = v
r = x.clone(); r[0] = s
r = x.clone(); r[:] = v
r = x.clone(); r[...] = 1
r = x.clone(); r[...] = s
r = x.clone(); r[()] = 2
r = x.clone(); r[0, 1] = s
r = x.clone(); r[:, 1] = x[:, 0] * 2
r = x.clone(); r[1:, ::2] = x[:2, :2]
r = x.clone(); r[None] = x
r = x.clone(); r[None, 0] = v
r = x.clone(); r[..., -1] = 0
r = x.clone(); r[i] = v
r = x.clone(); r[i] = x[:2] * 3
r = x.clone(); r[:, i] = 2.0
r = x.clone(); r[i, i] = s
r = x.clone(); r[0, i] = v[:2]
r = x.clone(); r[[0, 0]] = x[1:] * v
r = x.clone(); r[m] = 0
r = x.clone(); r[m] = s
r = x.clone(); r[m] = v
r = x.clone(); r[r > 1.5] = v[0]
r = x.clone(); r[torch.tensor([True, False, True])] = v
r = x.clone(); r[True] = 1
r = x.clone(); r[False] = 1
r = x.clone(); r[torch.tensor(1)] = v
r = x.clone(); r[0] = v.float()
r = x.clone(); r[0] = torch.tensor(3)
r = x.clone(); r[0] = True
r = x.clone(); r[0] += 1
r = x.clone(); r[0] *= v
r = x.clone(); r[:, 1] -= s
r = x.clone(); r[m] *= 2
r = x.clone(); r[i] += v
r = x.clone(); r[0][1] = 3
r = x.clone(); r.t()[0] = 1.0
r = x.clone(); r[0] = r[1]
r = x.clone(); r[0] = r[0] * 2
r = torch.zeros(3, 4, dtype=torch.float64); r[1] = v
r = torch.zeros(3, 4, dtype=torch.float64); r[m] = s
r = torch.zeros(3, 4, dtype=torch.float64)\\nfor k in range(3): r[k] = v * k
r = n.clone(); r[0] = 1
r = torch.zeros(3, dtype=torch.int64); r[0] = 1.9
r = torch.zeros(3, dtype=torch.int64); r[1] = True
r = torch.zeros(3, dtype=torch.bool); r[1] = 5
r = s.clone(); r[...] = 4
r = s.clone(); r[0] = 4
x[0] = 1; r = x
x[m] = 1; r = x
x.view(-1)[0] = 1; r = x
r = x.clone(); r[0] = x
r = x.clone(); r[m] = v[:3]
r = x.clone(); r[0] = [1, 2, 3, 4]
r = x.clone(); r[0] = "a"
r = x.clone(); r[0] = None
r = x.clone(); r[0] = 1j
r = x.clone(); r[3] = 1
r = x.clone(); r[i, 4] = 1
r = x.clone(); r[i] = i
r = torch.zeros(2, dtype=torch.int64); r[0] = 2**70
""",
        "gathering": """
x.index_put((i,), v)
x.index_put((i, i), s)
x.index_put((i, i), v[:2], accumulate=True)
x.index_put([m], s)
x.index_put((torch.tensor([0, 0]),), x[1:], accumulate=True)
r = x.clone(); r.index_put_((i,), v)
r = x.clone(); r.index_put_((torch.tensor([1, 1]),), v, accumulate=True)
x.index_put((i,), v[:3])
x.index_put(i, v)
x.index_put((i,), v.float())
""",
        "picking": """
x.index_select(0, i)
x.index_select(-1, torch.tensor([3, 3, 0]))
x.index_select(1, torch.tensor(2))
s.index_select(0, torch.tensor([0]))
x.index_select(0, torch.tensor([5]))
x.index_select(0, torch.tensor([[0]]))
x.index_select(0, torch.tensor([0.0]))
x.index_add(0, i, x[:2] * 2)
x.index_add(1, i, x[:, :2], alpha=3)
x.index_add(0, torch.tensor([1, 1]), n[:2])
x.index_add(0, i, x)
x.index_add(0, i, x[:2, :2])
x.index_copy(0, i, x[1:] * 2)
x.index_copy(1, torch.tensor([1]), c[0].reshape(3, 1))
x.index_copy(0, torch.tensor([5]), x[:1])
x.index_fill(0, i, 7)
x.index_fill(1, i, s)
x.index_fill(0, torch.tensor([9]), 1)
x.index_fill(0, i, v)
x.index_reduce(0, i, x[:2], "prod")
x.index_reduce(0, i, x[:2], "mean", include_self=False)
x.index_reduce(0, torch.tensor([1, 1]), n[:2], "amax")
x.index_reduce(0, torch.tensor([1, 1]), x[:2] * 2, "amin", include_self=False)
x.index_reduce(0, i, x[:2], "sum")
r = x.clone(); r.index_add_(0, i, x[:2])
r = x.clone(); r.index_copy_(0, i, n[:2])
r = x.clone(); r.index_fill_(1, i, 0)
r = x.clone(); r[0].index_fill_(0, i, s)
""",
        "scattering": """
x.gather(1, torch.tensor([[0, 1], [2, 2], [3, 0]]))
x.gather(0, torch.tensor([[2, 0]]))
v.gather(0, i)
s.gather(0, torch.tensor(0))
torch.gather(input=x, dim=-1, index=torch.tensor([[1], [1], [1]]))
x.gather(1, i)
x.gather(0, torch.tensor([[5]]))
x.gather(0, torch.tensor([[1.0]]))
x.gather(2, torch.tensor([[0]]))
x.scatter(1, torch.tensor([[0, 1], [2, 3]]), n)
x.scatter(1, torch.tensor([[0, 1], [2, 3]]), x.t().reshape(3, 4) * 2)
x.scatter(0, torch.tensor([[2, 1, 0]]), 9.0)
x.scatter(0, torch.tensor([[2]]), value=1)
v.scatter(0, i, 3)
n.scatter(0, torch.tensor([[0, 0]]), n, reduce="add")
n.scatter(0, torch.tensor([[0, 0]]), 3, reduce="multiply")
x.scatter(0, torch.tensor([[7]]), 1.0)
x.scatter(0, i, 1.0)
x.scatter(0, torch.tensor([[0]]), x.float())
x.scatter_add(1, torch.tensor([[0, 0, 0], [1, 1, 1]]), x * 2)
v.scatter_add(0, torch.tensor([0, 0, 1]), v)
x.scatter_reduce(0, torch.tensor([[0, 0, 0, 0], [0, 0, 0, 0]]), n, "sum")
x.scatter_reduce(0, torch.tensor([[0, 1, 0, 1], [0, 1, 0, 1]]), x[1:] * 1.5, "prod")
x.scatter_reduce(0, torch.tensor([[0, 1, 0, 1]]), (x[:1] - 1) * v, "prod")
x.scatter_reduce(0, torch.tensor([[0, 1, 0, 1]]), x, "mean", include_self=False)
x.scatter_reduce(0, torch.tensor([[0, 1, 2, 1]]), x * 2, "amax")
x.scatter_reduce(0, torch.tensor([[0, 1, 2, 1]]), x * 2, "amin", include_self=False)
x.scatter_reduce(0, torch.tensor([[0]]), x, "other")
r = x.clone(); r.scatter_(1, torch.tensor([[0], [1], [2]]), 0)
r = x.clone(); r.scatter_(1, torch.tensor([[0], [1], [2]]), x)
r = x.clone(); r.scatter_add_(0, torch.tensor([[1, 1, 1, 1]]), v.view(1, 4))
r = x.clone(); r[0].scatter_(0, i, 5.0)
""",
        "flat_places": """
x.take(i)
x.take(torch.tensor([[0, -1], [0, 5]]))
x.take(torch.tensor([99]))
x.take(torch.tensor([0.0]))
x.put(i, v[:2])
x.put(torch.tensor([0, 0]), v[:2], accumulate=True)
x.put(i, v)
r = x.clone(); r.put_(i, v[:2])
torch.take_along_dim(x, torch.tensor([[0], [1], [3]]), 1)
torch.take_along_dim(x, torch.tensor([[1]]), 0)
torch.take_along_dim(x, torch.tensor([1, 7]))
torch.take_along_dim(x, torch.tensor([[-1]]), 1)
torch.take_along_dim(x, i, 0)
torch.unravel_index(torch.tensor([5, 11]), (3, 4))
torch.unravel_index(torch.tensor([5.0]), (3, 4))
""",
        "masks": """
torch.where(m, x, n)
torch.where(m, x, 0)
torch.where(m, 1.5, x)
torch.where(m, v, s)
torch.where(m, 1, 0)
torch.where(m, 1.0, 0)
torch.where(x > 1.5, x, v)
torch.where(m)
torch.where(i)
x.where(m, s)
torch.where(m, x.float(), s)
torch.where(x, x, n)
torch.where(m, x, i)
x.masked_fill(m, 0)
x.masked_fill(m, s)
v.masked_fill(m, 1.0)
x.masked_fill(m.int(), 0)
x.masked_fill(m, v)
x.masked_fill(m, 1j)
r = x.clone(); r.masked_fill_(m, -1.0)
r = x.clone(); r.masked_fill_(m, s)
r = v.clone(); r.masked_fill_(m, 1.0)
x.masked_select(m)
v.masked_select(m)
x.masked_select(torch.tensor([True, False, True, False]))
x.masked_select(i)
x.masked_scatter(m, n)
x.masked_scatter(m, v)
x.masked_scatter(m, x.t() * 2)
x.masked_scatter(m, s.view(1))
torch.nonzero(m)
m.nonzero(as_tuple=True)
torch.nonzero(torch.tensor(3))
torch.argwhere(m)
torch.nonzero_static(i, size=3)
""",
        "moves": """
r = x.clone(); r.copy_(n)
r = x.clone(); r.copy_(v)
r = x.clone(); r.copy_(s)
r = x.clone(); r.copy_(x.t().t() * 2)
r = torch.zeros(3, 4); r.copy_(x)
r = torch.zeros(3, 4, dtype=torch.float64); r.copy_(x)
r = torch.zeros(3, 4, dtype=torch.float64); r[1].copy_(v)
r = torch.zeros(3, dtype=torch.int64); r.copy_(v[:3])
r = x.clone(); r.copy_(v[:3])
r = v.clone(); r.copy_(x)
r = x.clone(); r.copy_(7)
r = x.clone(); r.copy_("a")
r = x.clone(); r.fill_(3)
r = x.clone(); r.fill_(s)
r = x.clone(); r.fill_(v)
r = x.clone(); r[0].fill_(s)
r = torch.zeros(2, dtype=torch.int64); r.fill_(1.5)
r = torch.zeros(2, dtype=torch.uint8); r.fill_(-1)
r = torch.zeros(2, dtype=torch.uint8); r.fill_(256)
r = torch.zeros(2); r.fill_(1e60)
r = torch.zeros(2); r.fill_(1j)
torch.fill(x, 2)
torch.fill(x, s)
r = x.clone(); r.zero_()
r = x.clone(); r[:, 0].zero_()
r = x.clone(); r.diagonal().zero_()
r = x.clone(); r.fill_diagonal_(5)
r = torch.zeros(5, 2); r.fill_diagonal_(1, wrap=True)
r = v.clone(); r.fill_diagonal_(1)
""",
        "placing": """
x.select_scatter(v, 0, 1)
x.select_scatter(v, 1, 1)
x.slice_scatter(x[:1] * 2, 0, 1, 2)
x.slice_scatter(x[:, :2], 1, 0, 4, 2)
x.slice_scatter(x, 0, 1, 2)
x.diagonal_scatter(v[:3])
x.diagonal_scatter(v[:2], -1)
x.diagonal_scatter(v)
x.as_strided_scatter(v[:2], (2,), (5,), 1)
""",
        "reordering": """
x.flip(0)
x.flip(0, 1)
x.flip((-1,))
torch.flip(x, dims=[1])
x.flip()
x.flip(0, 0)
x.flip(2)
s.flip(())
x.fliplr()
x.flipud()
v.fliplr()
x.roll(1)
x.roll(-1, 1)
x.roll((1, 2), (0, 1))
x.roll(shifts=2, dims=0)
x.roll((1, 2))
x.roll(1, (0, 1))
x.rot90()
x.rot90(2)
x.rot90(-1)
x.rot90(3, (1, 0))
c.rot90(1, (0, 2))
x.rot90(1, (0, 0))
v.rot90()
x.tril()
x.tril(-1)
x.triu(1)
x.t().triu()
v.tril()
x.tril(1.5)
r = x.clone(); r.tril_()
r = x.clone(); r.triu_(1)
""",
        "diagonals": """
v.diag()
v.diag(1)
v.diag(-2)
x.diag()
x.diag(-1)
c.diag()
s.diag()
v.diag_embed()
x.diag_embed(1)
x.diag_embed(0, 0, 2)
x.diag_embed(0, 0, 0)
v.diagflat()
x.diagflat(1)
""",
        "strided": """
x.as_strided((2, 2), (4, 1))
x.as_strided((2, 2), (4, 1), 1)
x.as_strided((2, 3), (1, 1))
x.as_strided((3,), (0,))
x[1:].as_strided((2,), (1,))
x.t().as_strided((2,), (1,))
x.as_strided((2,), (1,), 11)
x.as_strided((2,), (-1,))
x.as_strided((2, 2), (1,))
v.expand(3, 4).as_strided((2, 2), (0, 1))
r = x.clone(); r.as_strided((2, 2), (4, 1)).mul_(2)
""",
        "copies": """
x.clone()
x.t().clone()
x[:, ::2].clone()
v.expand(3, 4).clone()
x.t().clone(memory_format=torch.contiguous_format)
x.contiguous() is x
x.t().contiguous()
x.is_contiguous(), x.t().is_contiguous(), s.is_contiguous(), x[:, :1].is_contiguous(), x[:1].is_contiguous()
torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last).stride()
torch.ones(2, 3, 4, 5).clone(memory_format=torch.channels_last).is_contiguous(memory_format=torch.channels_last)
x.contiguous(memory_format=torch.channels_last)
x.contiguous(memory_format=torch.preserve_format)
""",
        "view_copies": """
torch.view_copy(x, (2, 6))
torch.t_copy(x)
torch.permute_copy(c, (2, 0, 1))
torch.expand_copy(v, (2, 4))
torch.squeeze_copy(c)
torch.squeeze_copy(c, 1)
torch.unsqueeze_copy(x, 0)
torch.diagonal_copy(x)
torch.select_copy(x, 0, 1)
torch.slice_copy(x, 1, 0, 4, 2)
torch.unbind_copy(x)
torch.split_with_sizes_copy(x, [1, 2])
torch.unfold_copy(x, 1, 2, 1)
torch.as_strided_copy(x, (2,), (1,))
torch.alias_copy(x)
torch.narrow_copy(x, 1, 1, 2)
""",
        "views_in_place": """
r = c.clone(); r.squeeze_()
r = c.clone(); r.squeeze_(1)
r = c.clone(); r.squeeze_((0, 1))
r = x.clone(); r.unsqueeze_(0)
r = x.clone(); r.t_()
r = c.clone(); r.transpose_(0, 2)
r = c.clone(); r.swapaxes_(0, 2)
r = x.clone(); r.as_strided_((2,), (1,))
r = x.clone().mul_(2); r.t_()
r = c.clone(); w = r[0]; w.unsqueeze_(0); r = w
x.t_(); r = x
""",
        "view_writes": """
r = x.clone(); w = r[0]; r.mul_(2); r = w
r = x.clone(); w = r[0]; w.mul_(2)
r = x.clone(); w = r[0]; w.mul_(2); r = w
r = x.clone(); a = r[0]; b = r[0]; a.mul_(2); r = b
r = x.clone(); w = r[0]; u = w[1:]; u.add_(1); r = w
r = x.clone(); w = r.view(-1); w[3:5] = 7.0; r = w
r = x.clone(); r[0] = x[1] * 2; r[1] = r[0] * 3
r = x.clone(); w = r.unbind(); r.mul_(2); r = w[0]
r = x.clone(); w = r.split(1); w[0].mul_(2)
r = x.clone(); w = r.chunk(2); w[1].add_(1)
r = n.clone(); w = r.split(1); w[0].mul_(2)
r = n.clone(); w = r[0]; w.copy_(v)
r = n.clone(); w = r[0]; w.copy_(v); r = w
r = n.clone(); w = r.unbind()[0]; w.copy_(v)
r = x.clone()\\nwith torch.no_grad(): w = r[0]\\nw.mul_(2)
r = x.clone()\\nwith torch.no_grad(): w = r[0]\\nr.mul_(2); w.grad_fn
r = x.clone()\\nwith torch.no_grad(): r[0] = 5.0
r = x.clone(); w = r[0]\\nwith torch.no_grad(): w.mul_(3)\\nr = w
with torch.no_grad(): w = x[0]\\nr = (w.requires_grad, w.grad_fn, w.is_leaf)
r = x * 2; w = r.view(-1); r.add_(1); r = w
r = x.exp(); r.add_(1)
r = x.exp(); w = r * r; r[0] = 0.0; r = w
r = x.clone(); w = r * r; r.detach().mul_(2); r = w
r = x.clone(); w = r * r; r.data.mul_(2); r = w
x.mul_(2); r = x
x.view(-1).mul_(2); r = x
x.unbind()[0].mul_(2); r = x
with torch.no_grad(): x[0] = 1.0\\nr = x
x.data[0] = 9.0; r = x
r = x.clone(); r += 1
r = x.clone(); r.diagonal().copy_(v[:3])
r = x.clone(); r.narrow(1, 1, 2).mul_(x[:, :2])
r = x.clone(); r.select(1, 0).fill_(s)
r = x.clone(); w = r.reshape(4, 3); w.mul_(2)
r = x.clone(); w = r.t().reshape(-1); w.mul_(2)
r = x.clone(); w = r.contiguous(); w[0] = 3.0
r = x.clone(); a, b, d = r; b.mul_(2)
r = n.clone(); r.requires_grad_(); r[0].mul_(1)
r = n.clone(); w = r[0]; w.requires_grad_(); w.mul_(2)
r = x.clone(); w = r[0].expand(3, 4); w.mul_(2)
r = x.clone(); r.detach_(); r[0] = 1.0
r = x.clone(); w = r[0]; w.detach_()
r = x.clone(); r.data = torch.ones(3, dtype=torch.float64); r = (r.shape, r._version)
with torch.inference_mode(): w = torch.ones(3, dtype=torch.float64)\\nw.mul_(2)
with torch.inference_mode(): w = torch.ones(4, dtype=torch.float64)\\nr = v * w
with torch.inference_mode(): w = v[:2]\\nw.mul_(2)
with torch.inference_mode(): w = torch.ones(3)\\nr = (w.is_inference(), w[:2].is_inference())
r = x.detach(); r = (r.requires_grad, r._is_view(), r.data_ptr() == x.data_ptr())
""",
        "outputs": """
r = torch.zeros(3, 4, dtype=torch.float64); torch.mul(n, 2, out=r)
r = torch.zeros(3, 4, dtype=torch.float64); torch.mul(x, 2, out=r)
torch.mul(n, 2, out=x)
r = torch.zeros(6, 4, dtype=torch.float64); torch.cat([n, n], out=r)
torch.cat([x, x], out=n)
torch.mul(n, 2, out=torch.zeros(3, 4, dtype=torch.int64))
torch.add(n[1:], 1, out=n[:2])
torch.add(n, 1, out=n)
torch.cat([n, n], out=torch.zeros(1, dtype=torch.float64).expand(24))
torch.gather(n, 0, torch.tensor([[0]]), out=torch.zeros(1, 1))
torch.index_select(n, 0, i, out=n[:2])
torch.masked_select(n, m, out=n)
""",
    }.items()
}
PROGRAMS = dict.fromkeys(program for programs in CASES.values() for program in programs)
