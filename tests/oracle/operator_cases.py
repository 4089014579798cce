"""One-line expressions for every pointwise, reducing, sorting and accumulating operator.

Their leaves are in `tests.oracle.derivatives`.
"""

from __future__ import annotations

FAMILIES: dict[str, str] = {
    "arithmetic": """
a + b
a + 2
2 + a
a + s
torch.add(a, b, alpha=3)
torch.add(i, j, alpha=2.5)
torch.add(t, t, alpha=True)
a - b
2 - a
torch.sub(a, b, alpha=2)
torch.rsub(a, b)
a * b
a * s
a * 3
3 * a
a * t
i * 2.5
c * d
c * a
c * 2j
a * 2j
c - d
-a
-t
t - t
1 - t
+a
a + i
torch.mul(2, a)
torch.add(a, 'x')
a + torch.ones(2)
""",
    "division": """
a / b
a / 2
2 / a
i / j
i / 0
a / 0
c / d
a // b
a // 2
2 // b
i // 0
i // 2
a % b
a % 2
2 % b
j % 2
j % 0
torch.fmod(a, b)
torch.fmod(a, 2)
torch.fmod(j, 2)
torch.div(a, b, rounding_mode='floor')
torch.div(a, 2, rounding_mode='trunc')
torch.div(j, 2, rounding_mode='trunc')
torch.div(j, 2, rounding_mode='floor')
torch.div(a, b, rounding_mode='up')
torch.remainder(2, 3)
torch.floor_divide(a, b)
""",
    "powers": """
a ** 2
a ** 3
p ** 0.5
p ** b
2 ** a
0 ** p
k ** 0
k ** 1
k ** 2
k ** -1
k.pow(torch.zeros_like(k))
torch.zeros_like(p) ** p
i ** 2
i ** -1
i ** i
2 ** i
c ** 2
c ** d
a.square()
p.sqrt()
k.sqrt()
p.rsqrt()
a.reciprocal()
torch.hypot(a, b)
torch.float_power(a, 2)
torch.float_power(p, b)
torch.pow(2, 3)
""",
    "exponential": """
a.exp()
c.exp()
a.exp2()
a.expm1()
p.log()
k.log()
c.log()
p.log2()
p.log10()
p.log1p()
torch.logaddexp(a, b)
torch.logaddexp2(a, b)
torch.xlogy(a, p)
torch.xlogy(k, torch.zeros_like(k))
torch.xlogy(a, 2)
torch.xlogy(2, p)
torch.special.xlog1py(a, p)
torch.special.xlog1py(2, p)
a.sigmoid()
u.logit()
u.logit(0.2)
i.exp()
torch.exp(2.0)
""",
    "trigonometry": """
a.sin()
a.cos()
a.tan()
u.asin()
u.acos()
a.atan()
a.sinh()
a.cosh()
a.tanh()
a.asinh()
(p + 1).acosh()
u.atanh()
torch.atan2(a, b)
torch.atan2(k, torch.zeros_like(k))
k.sinc()
torch.deg2rad(a)
torch.rad2deg(a)
c.sin()
c.tanh()
c.asinh()
""",
    "rounding": """
a.floor()
a.ceil()
a.trunc()
a.round()
torch.round(a * 10.05, decimals=1)
torch.round(a * 100, decimals=-1)
a.frac()
k.sign()
w.sign()
k.sgn()
c.sgn()
k.abs()
c.abs()
w.abs()
torch.signbit(k)
torch.copysign(k, torch.flip(k, (0,)))
torch.copysign(a, -1)
torch.heaviside(a, b)
torch.nan_to_num(w)
torch.nan_to_num(w, nan=7.0, posinf=1.0)
torch.frexp(a)
torch.ldexp(a, b)
torch.ldexp(a, i)
torch.nextafter(a, b)
""",
    "compare": """
a > b
a >= 0.5
a < s
a <= b
a == a
a != b
i == 2
w == w
a == None
a == 'x'
a > None
c > d
w.isnan()
w.isinf()
w.isfinite()
w.isposinf()
w.isneginf()
c.isreal()
torch.isclose(a, a + 1e-9)
torch.isclose(w, w, equal_nan=True)
torch.allclose(a, b)
torch.equal(a, a)
torch.isclose(a, i)
a.clone().eq_(b)
torch.eq(2, a)
torch.maximum(a, 2)
""",
    "bitwise": """
i & j
i | 1
i ^ j
~i
~t
~a
i << 1
1 << i
j >> 1
t & t
t ^ True
a & 1
torch.logical_not(k)
torch.logical_and(a, k[:3])
torch.logical_or(i, j)
torch.logical_xor(t, i)
torch.gcd(i, j)
torch.lcm(i, j)
""",
    "choose": """
torch.where(a > 0, a, b)
torch.where(a > 0, a, 0)
torch.where(a > 0, 0.0, b)
torch.clamp(k, min=0)
torch.clamp(k, -1, 1)
torch.clamp(k, max=1)
torch.clamp(a, b, p)
torch.clamp(a, min=b)
torch.clamp(a)
k.clamp_min(0)
k.clamp_max(1)
a.clamp_min(b)
a.clamp_max(b)
torch.maximum(a, b)
torch.maximum(k, torch.zeros_like(k).requires_grad_())
torch.minimum(a, b)
torch.fmax(w, torch.ones_like(w))
torch.fmin(w, torch.ones_like(w))
torch.lerp(a, b, 0.25)
torch.lerp(a, b, u)
torch.addcmul(a, b, p, value=2)
torch.addcdiv(a, b, p, value=2)

w.clamp(min=0)
""",
    "complex": """
c.real
c.imag
c.conj()
c.angle()
k.angle()
torch.view_as_real(c)
torch.view_as_complex(torch.stack([a, b], -1))
torch.complex(a, b)
torch.polar(p, a)
a.real
a.imag
c.abs().sum()
torch.is_complex(c)
""",
    "reduce": """
m.sum()
m.sum(0)
m.sum((0, 1))
m.sum(-1, keepdim=True)
i.sum()
t.sum()
m.sum(dtype=torch.float32)
m.mean()
m.mean(1)
m.mean((0, 1), keepdim=True)
i.mean()
i.mean(dtype=torch.float64)
w.nansum()
w.nanmean()
m.prod()
q.prod()
q.prod(1)
a.prod()
c.prod()
torch.zeros_like(p).requires_grad_().prod()
m.logsumexp(1)
w.logsumexp(0)
m.all()
m.any(0)
m.count_nonzero()
m.count_nonzero(1)
m.sum(5)
m.sum((0, 0))
m.trace()
q.sum_to_size(1, 3)
e.sum()
e.mean()
e.prod()
torch.sum([1, 2])
""",
    "order of additions": """
torch.arange(1, 8).float().reciprocal().sum()
torch.arange(1, 8).float().reciprocal().mean()
torch.arange(1, 30).float().reciprocal().sum()
torch.arange(1, 1001).float().reciprocal().sum()
torch.arange(1, 30001).float().reciprocal().mean()
torch.arange(1, 30001).double().reciprocal().sum().item().hex()
torch.arange(1, 601).float().reciprocal().view(20, 30).sum(0)
torch.arange(1, 601).float().reciprocal().view(20, 30).sum(1)
torch.arange(1, 601).float().reciprocal().view(20, 30).t().sum()
torch.arange(1, 601).float().reciprocal().view(4, 50, 3).mean(1)
torch.arange(1, 601).float().reciprocal().view(2, 100, 3).sum((0, 1))
torch.arange(1, 101).float().reciprocal().half().sum()
torch.tensor([-0.0]).sum()
torch.arange(1, 8).float().reciprocal().norm()
torch.arange(1, 22).float().reciprocal().norm()
torch.arange(1, 601).float().reciprocal().view(20, 30).norm(dim=1, keepdim=True)
torch.tensor([[-0.0, -0.0], [-0.0, 1.0]]).sum(0)
""",
    "extremes": """
m.max()
m.min()
m.max(1)
m.min(0)
m.max(1, keepdim=True)
torch.max(a, b)
m.amax()
m.amax(1)
m.amin((0, 1))
m.aminmax()
m.aminmax(dim=1)
m.argmax()
m.argmin(1)
m.argmax(0, keepdim=True)
w.max()
w.argmax()
w.amax(0)
e.max()
e.argmax()
c.max()
""",
    "spread": """
m.var()
m.var(1)
m.var(0, unbiased=False)
m.var(correction=0)
m.std()
m.std(1)
torch.ones(3, dtype=torch.float64, requires_grad=True).std()
torch.std_mean(m, 1)
torch.var_mean(m)
s.var()
i.var()
""",
    "sorting": """
m.sort()
m.sort(0, descending=True)
m.sort(stable=True)
m.argsort()
m.msort()
m.topk(2)
a.topk(2, largest=False)
a.topk(9)
m.kthvalue(2)
a.median()
m.median()
m.median(1)
w.median()
w.nanmedian()
w.nanmedian(0)
m.mode()
q.quantile(0.4)
q.quantile(torch.tensor([0.25, 0.5], dtype=torch.float64), dim=1)
q.quantile(0.4, dim=0, keepdim=True, interpolation='midpoint')
q.quantile(0.5, interpolation='lower')
w.nanquantile(0.5)
q.quantile(2.0)
w.sort()
""",
    "sets": """
m.unique()
m.unique(return_inverse=True, return_counts=True)
m.unique(dim=1)
torch.unique_consecutive(m)
torch.isin(i, j)
torch.searchsorted(torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64), a)
torch.bucketize(a, torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64), right=True)
torch.bincount(i)
torch.bincount(i, p)
torch.bincount(j)
torch.histc(a, 4)
torch.histc(a, 4, min=0, max=1)
torch.histogram(a.detach(), 3)
""",
    "cumulative": """
m.cumsum(1)
i.cumsum(0)
a.cumprod(0)
q.cumprod(1)
m.cummax(1)
m.cummin(0)
m.logcumsumexp(1)
m.diff()
m.diff(n=2)
m.diff(dim=0, prepend=q)
torch.trapezoid(m)
torch.trapezoid(m, dx=2)
torch.trapezoid(a, p)
torch.cumulative_trapezoid(a)
torch.cumulative_trapezoid(a, p)
torch.gradient(a)
torch.gradient(k, spacing=2.0, edge_order=2)
torch.gradient(a, spacing=(p.detach(),))
a.clone().cumsum_(0)
m.cumsum(4)
""",
    "softmax": """
m.softmax(1)
torch.softmax(a.float(), 0, dtype=torch.float64)
m.log_softmax(0)
F.softmin(a, 0)
torch.tensor([-inf, -inf], dtype=torch.float64, requires_grad=True).softmax(0)
torch.softmax(i, 0)
F.log_softmax(m, dim=-1)
""",
    "activations": """
F.relu(k)
F.relu(w)
F.relu6(3 * k)
F.leaky_relu(k)
F.leaky_relu(k, 0.2)
F.hardtanh(k)
F.hardtanh(k, 2, 1)
F.hardsigmoid(2 * k)
F.hardswish(2 * k)
F.hardshrink(k / 2)
F.softshrink(k / 2)
F.threshold(k, 0.5, 7.0)
F.prelu(k, s)
F.prelu(m, a)
F.prelu(m, torch.ones(2, dtype=torch.float64))
F.rrelu(a)
F.softsign(k)
F.tanhshrink(k)
F.gelu(a)
F.gelu(a, approximate='tanh')
F.silu(a)
F.mish(a)
F.elu(k)
F.elu(a, 0.5)
F.selu(k)
F.celu(a, 2.0)
F.softplus(a)
F.softplus(a, beta=2, threshold=1)
F.logsigmoid(k)
F.glu(k)
F.glu(a)
F.relu(a.clone(), inplace=True)
F.leaky_relu(a.clone(), inplace=True)
F.elu(a.clone(), inplace=True)
F.celu(a.clone(), inplace=True)
F.threshold(a.clone(), 0.1, 2.0, inplace=True)
F.hardtanh(a.clone(), inplace=True)
F.relu([1.0])
""",
    "special_functions": """
a.erf()
a.erfc()
u.erfinv()
torch.special.erfcx(a)
p.lgamma()
p.digamma()
torch.polygamma(1, p)
torch.polygamma(2, p)
torch.mvlgamma(p + 2, 2)
torch.special.ndtr(a)
torch.special.ndtri(u)
torch.special.log_ndtr(a)
torch.special.entr(p)
torch.special.zeta(p + 1, p)
torch.igamma(p.detach(), p)
torch.igammac(p.detach(), p)
torch.i0(a)
torch.special.i0e(a)
torch.special.i1(k)
torch.special.i1e(k)
torch.special.bessel_j0(u)
torch.special.chebyshev_polynomial_t(a, 3)
torch.special.hermite_polynomial_h(a, 4)
""",
    "norms": """
a.norm()
torch.zeros(3, dtype=torch.float64, requires_grad=True).norm()
m.norm(dim=1)
m.norm(p=1)
m.norm(p=3, dim=0)
m.norm(p=inf)
m.norm(p=0)
torch.dist(a, b)
torch.dist(a, b, 1)
torch.renorm(m, 2, 0, 1.0)
c.norm()
i.norm()
""",
    "conversion": """
a.float()
a.half()
a.to(torch.float32)
a.to(torch.int64)
a.to(torch.complex128)
a.to(b)
a.to('cpu')
a.to('cuda')
a.type()
a.type('torch.FloatTensor')
a.type_as(i)
w.long()
c.to(torch.float64)
a.bool()
bool(s)
bool(a)
float(s)
int(a)
complex(s)
len(m)
list(i)
2 in i
[10, 20, 30, 40][i[0]]
[10, 20][a]
torch.result_type(i, 2.5)
torch.promote_types(torch.int32, torch.float16)
""",
}
EXPRESSIONS: dict[str, str] = {
    line: family for family, lines in FAMILIES.items() for line in lines.strip().splitlines()
}
"""Family by expression."""
