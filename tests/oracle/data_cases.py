"""Expressions around ``torch.utils.data``; each side evaluates them with its own ``torch``."""

from __future__ import annotations

PAIRS = "torch.utils.data.TensorDataset(torch.arange(7.0), torch.arange(7))"
EXPRESSIONS = [
    expression.replace("D.", "torch.utils.data.").replace("PAIRS", PAIRS)
    for expression in """
list(D.DataLoader(range(5)))
list(D.DataLoader(range(5), batch_size=2))
list(D.DataLoader(range(5), batch_size=2, drop_last=True))
list(D.DataLoader(range(11), batch_size=4, shuffle=True))
list(D.DataLoader(range(5), batch_size=None))
list(D.DataLoader(PAIRS, batch_size=3))
list(D.DataLoader(PAIRS, batch_size=3, shuffle=True))
list(D.DataLoader(PAIRS, batch_size=3, shuffle=True, generator=torch.Generator().manual_seed(4)))
[list(D.DataLoader(range(4), shuffle=True)), torch.rand(2)]
(lambda loader: [list(loader), list(loader)])(D.DataLoader(range(6), batch_size=3, shuffle=True))
list(D.DataLoader([{"x": 1.5, "y": "a"}, {"x": 2.5, "y": "b"}], batch_size=2))
list(D.DataLoader([(1, [2.0, 3.0]), (4, [5.0, 6.0])], batch_size=2))
list(D.DataLoader([(1, [2.0]), (4, [5.0, 6.0])], batch_size=2))
list(D.DataLoader([np.ones(2), np.zeros(2)], batch_size=2))
list(D.DataLoader([np.float32(1), np.float32(2)], batch_size=2))
list(D.DataLoader([True, False], batch_size=2))
list(D.DataLoader([None, None], batch_size=2))
list(D.DataLoader(range(4), batch_size=2, collate_fn=sum))
list(D.DataLoader(range(6), batch_sampler=[[0, 5], [3]]))
list(D.DataLoader(range(6), sampler=[4, 2]))
len(D.DataLoader(range(5), batch_size=2)), len(D.DataLoader(range(5), batch_size=2, drop_last=True))
D.DataLoader(range(5), shuffle=True, sampler=[1])
D.DataLoader(range(5), batch_size=0)
D.DataLoader(range(5), batch_size=2, batch_sampler=[[1]])
D.DataLoader(range(5), batch_size=None, drop_last=True)
D.DataLoader(range(5), num_workers=-1)
PAIRS[2]
PAIRS[1:3]
len(PAIRS)
D.TensorDataset(torch.ones(2), torch.ones(3))
D.Dataset()[0]
(PAIRS + PAIRS)[8], len(PAIRS + PAIRS), (PAIRS + PAIRS)[-1]
D.Subset(range(10), [3, 4])[1]
[part.indices for part in D.random_split(range(10), [6, 4])]
[part.indices for part in D.random_split(range(10), [0.55, 0.45])]
[part.indices for part in D.random_split(range(5), [3, 2], generator=torch.Generator().manual_seed(42))]
D.random_split(range(10), [6, 5])
D.random_split(range(10), [1.5, -0.5])
list(D.SequentialSampler(range(3)))
list(D.RandomSampler(range(5)))
list(D.RandomSampler(range(5), num_samples=12))
list(D.RandomSampler(range(5), replacement=True, num_samples=40))
list(D.RandomSampler(range(5), replacement=True, num_samples=64)), torch.rand(1)
next(iter(D.RandomSampler(range(5), replacement=True, num_samples=int(1e10))))
list(D.RandomSampler(range(5), generator=torch.Generator().manual_seed(1)))
D.RandomSampler(range(5), num_samples=0)
D.RandomSampler(range(5), replacement=3)
list(D.SubsetRandomSampler([5, 7, 9]))
list(D.WeightedRandomSampler([0.1, 0.5, 1.0], 8))
list(D.WeightedRandomSampler([0.1, 0.5, 1.0], 2, replacement=False))
D.WeightedRandomSampler([0.1, 0.5, 1.0], 0)
list(D.BatchSampler(D.SequentialSampler(range(5)), 2, False))
D.BatchSampler([1], 0, False)
D.default_collate([torch.ones(2), torch.zeros(2)])
D.default_collate([1, 2])
D.default_collate([1.0, 2.0])
D.default_convert([np.ones(2), 3])
D.StackDataset([1, 2], [3, 4])[1], D.StackDataset(a=[1, 2], b=[3, 4])[0]
D.get_worker_info()
""".strip().splitlines()
]
