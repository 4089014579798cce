"""Expressions as people try them on tensors, kept because one of our answers once differed; each side has its own ``torch`` and ``np``."""

from __future__ import annotations

WITHOUT_KERNEL = {
    "complex64": "atan2 copysign digamma erf erfc erfinv floor_divide fmax fmin fmod remainder frac hypot i0 lgamma logaddexp2 logit mode "
    "nextafter round deg2rad heaviside isposinf xlogy special.bessel_j0 special.i0e special.ndtri special.entr special.zeta "
    "nn.functional.elu nn.functional.leaky_relu nn.functional.softplus nn.functional.mish nn.functional.hardswish nn.functional.mse_loss",
    "float16": "special.bessel_j0 special.ndtri special.zeta special.airy_ai",
    "bool": "floor_divide remainder fmod hypot logaddexp nextafter",
    "int64": "hypot logaddexp igamma nextafter",
}
"""Operators by a dtype that PyTorch has no kernel for."""
TWO = frozenset(
    "atan2 copysign floor_divide fmax fmin fmod remainder hypot logaddexp logaddexp2 nextafter heaviside xlogy igamma special.zeta "
    "nn.functional.mse_loss".split()
)
"""Those of them that take two tensors."""

REFUSED = [
    f"torch.{name}({', '.join([f'torch.ones(2, dtype=torch.{dtype})'] * (2 if name in TWO else 1))})"
    for dtype, names in WITHOUT_KERNEL.items()
    for name in names.split()
]

Z = "torch.tensor([1.5 - 2.25j, -0.3 + 0.7j, 3 + 4j, 0.1 - 5j, -2 - 0.01j])"
"""Five complex numbers: more than fill a vector."""

EXPRESSIONS = REFUSED + [
    line.replace("Z", Z)
    for line in r"""
torch.logaddexp2(torch.tensor([-1.0, 0.5, 3.0]), torch.tensor([-1.0, 0.25, -3.0]))
torch.logaddexp(torch.tensor([float("inf"), -float("inf"), 1.0]), torch.tensor([float("inf"), -float("inf"), 2.0]))
torch.logaddexp(torch.tensor([0.1, 2.5], dtype=torch.float16), torch.tensor([0.3, -1.5], dtype=torch.float16))
torch.logit(torch.tensor([0.0, 0.3, 1.0]), eps=1e-6)
torch.logit(torch.tensor([0.0, 0.3, 1.0], dtype=torch.bfloat16), eps=1e-2)
torch.hann_window(4), torch.hann_window(4, periodic=False, dtype=torch.float16), torch.hann_window(1)
torch.hamming_window(5), torch.blackman_window(4), torch.blackman_window(4, False), torch.bartlett_window(5)
torch.hann_window(4, dtype=torch.float64), torch.hann_window(3, requires_grad=True)
torch.signal.windows.blackman(4), torch.signal.windows.hann(4), torch.signal.windows.gaussian(3)
torch.fft.fft(torch.arange(8.0)), torch.fft.ifft(torch.fft.fft(torch.arange(8.0)))
torch.fft.irfft(torch.fft.rfft(torch.arange(8.0))), torch.fft.rfft(torch.arange(4.0), norm="ortho")
torch.fft.fft(torch.ones(4)), torch.fft.fft2(torch.eye(2)), torch.fft.fft(torch.arange(4))
torch.fft.fft(torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64))
Z / Z.flip(0), 1 / Z, Z / (1 + 1j), Z / 3, Z.reciprocal()
Z**2, Z**3, Z**4, Z**-1, Z**-2, Z**-3, Z**0, Z**1.5, Z ** (1 + 2j), 2**Z, Z**Z
torch.view_as_real(Z / Z.flip(0)).tolist(), torch.view_as_real(Z**5).tolist(), torch.view_as_real(Z**1.5).tolist()
torch.view_as_real(Z.to(torch.complex128) / Z.flip(0)).tolist(), torch.view_as_real(Z.to(torch.complex128) ** 5).tolist()
[torch.view_as_real(f(Z)).tolist() for f in (torch.exp, torch.log, torch.log2, torch.log10, torch.sin, torch.tanh)]
torch.polar(torch.ones(4), torch.arange(4) * torch.pi / 2) ** 4
torch.tensor([0j, 1 + 0j, 2j]) / 0, torch.tensor([0j, 1j]) / torch.tensor([0j, 0j]), torch.tensor([0j, 2j]) ** 0
torch.tensor([0j, 2j]) ** -1, torch.tensor(0j) ** 1.5, 0 ** torch.tensor([1 + 1j, 0j])
[torch.linalg.det(torch.tensor(m)).item() for m in ([[0.866, -0.5], [0.5, 0.866]], [[0.1, 0.7], [0.3, 0.2]], [[0.0, 0.0], [0.0, 0.0]])]
torch.det(torch.tensor([[[0.3, 0.7], [-1.1, 0.2]], [[2.0, 0.1], [0.3, 1.7]]])).tolist(), torch.tensor([[0.3, 0.7], [-1.1, 0.2]]).T.det().item()
torch.Size([1.5])
torch.Size("a")
torch.Size([torch.tensor(3), 2]), torch.Size(range(3)), torch.Size()
torch.Size([torch.tensor(3.0)])
torch.bucketize(3, torch.tensor([1, 3, 5])), torch.bucketize(3, torch.tensor([1, 3, 5]), right=True)
torch.bucketize(2.5, torch.tensor([1, 3, 5]))
torch.meshgrid(torch.ones(2, 2), torch.arange(3), indexing="ij")
torch.meshgrid(torch.ones(2, 2), indexing="zz")
torch.ones(2).resize_(-1)
torch.ones(2).resize_(2, -3)
torch.allclose(torch.ones(2), torch.ones(3))
torch.isclose(torch.ones(2), torch.ones(2, 3))
torch.isclose(torch.ones(2), torch.ones(2, dtype=torch.float64))
torch.allclose(torch.ones(2), torch.ones(2, 2))
torch.ones(1, 1, 4, 4).to(memory_format=torch.channels_last).stride()
torch.ones(1, 1, 4, 4).contiguous(memory_format=torch.channels_last).stride()
torch.ones(2, 3, 1, 1).clone(memory_format=torch.channels_last).stride()
torch.ones(2, 3, 4, 5)[:, :1].to(memory_format=torch.channels_last).stride()
(lambda x: x.to(memory_format=torch.channels_last) is x)(torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last))
torch.max(torch.tensor([[1, 5], [7, 2]]), 1), isinstance(torch.max(torch.eye(2), 0), torch.return_types.max)
torch.return_types.sort, torch.return_types.linalg_qr
torch.return_types.nothing_such
(lambda b, x: [torch.save([x, x[2:4]], b), b.seek(0), [t.zero_() for t in torch.load(b)[:1]]])(__import__("io").BytesIO(), torch.arange(6))
(lambda b, x: [torch.save([x, x[2:4]], b), b.seek(0), (lambda p: [p[0].fill_(7), p[1], p[1].storage_offset()])(torch.load(b))])(__import__("io").BytesIO(), torch.arange(6))
(lambda b, x: [torch.save(x.t()[1], b), b.seek(0), (lambda t: [t, t.stride(), t.storage_offset()])(torch.load(b))])(__import__("io").BytesIO(), torch.eye(3))
""".strip().splitlines()
]
