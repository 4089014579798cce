"""Random calls spelled twice: as PyTorch's and as ours on numpy. Imported by both sides, so it imports neither.

A torch expression sees ``torch``; ours sees the names of `engine.random`, ``g`` (the generator), ``np`` and ``f32``,
``f64``, ``f16``, ``bf16``, ``i64``, … for the numpy dtypes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

SEEDS = (0, 42, -7, 2**40 + 3)
SIZES = (1, 2, 15, 16, 17, 40, 100)
DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}


Case = tuple[str, tuple[str, str]]
"""A name, and the call: the torch expression, our expression."""


def cases() -> dict[str, tuple[str, str]]:
    """Name → (torch expression, our expression)."""
    groups = (
        in_place(),
        by_weights(),
        by_values(),
        binomials(),
        whole_numbers(),
        permutations(),
        complex_numbers(),
        memory(),
    )
    return dict(case for group in groups for case in group)


def in_place() -> Iterator[Case]:
    """Methods that overwrite a tensor, for every length at which PyTorch changes its way of drawing."""
    for ours, name in DTYPES.items():
        for n in SIZES:
            torch_call = f"torch.empty({n}, dtype=torch.{name})"
            pairs = {
                "uniform_()": f"uniform(g, ({n},), {ours})",
                "uniform_(-0.3, 1.7)": f"uniform(g, ({n},), {ours}, -0.3, 1.7)",
                "normal_()": f"normal(g, ({n},), {ours})",
                "normal_(3, 0.7)": f"normal(g, ({n},), {ours}, 3, 0.7)",
                "exponential_(1.5)": f"exponential(g, ({n},), {ours}, 1.5)",
                "cauchy_(1, 0.5)": f"cauchy(g, ({n},), {ours}, 1, 0.5)",
                "log_normal_()": f"log_normal(g, ({n},), {ours})",
                "geometric_(0.3)": f"geometric(g, ({n},), {ours}, 0.3)",
                "bernoulli_(0.3)": f"bernoulli(g, ({n},), {ours}, 0.3)",
                "random_()": f"whole_range(g, ({n},), {ours})",
                "random_(-5, 200)": f"integers(g, ({n},), {ours}, -5, 200)",
            }
            for method, expression in pairs.items():
                yield f"{torch_call}.{method}", (f"{torch_call}.{method}", expression)


def by_weights() -> Iterator[Case]:
    """Places drawn by weights, with and without replacement."""
    weights = "[0.1, 0.0, 2.0, 0.7, 1.5]"
    for (ours, name), count, replacement in product(DTYPES.items(), (1, 3), (True, False)):
        yield (
            f"multinomial {name} {count} {replacement}",
            (
                f"torch.multinomial(torch.tensor({weights}, dtype=torch.{name}), {count}, {replacement})",
                f"multinomial(g, np.array({weights}).astype({ours}), {count}, {replacement})",
            ),
        )


def by_values() -> Iterator[Case]:
    """Numbers drawn by the values of a tensor, which stands in braces."""
    rates = "[0.0, 0.3, 4.0, 9.5, 10.0, 33.0, 500.0]"
    chances = "[0.25, 0.0, 1.0, 0.5, 0.75]"
    for ours, name in DTYPES.items():
        for title, torch_call, expression in (
            ("bernoulli", f"torch.bernoulli({{{chances}}})", f"bernoulli_of(g, {{{chances}}}, {ours})"),
            ("poisson", f"torch.poisson({{{rates}}})", f"poisson(g, {{{rates}}})"),
            ("standard gamma", f"torch._standard_gamma({{{rates}}})", f"standard_gamma(g, {{{rates}}})"),
            ("dirichlet", "torch._sample_dirichlet({[0.2, 1.0, 3.5]})", "dirichlet(g, {[0.2, 1.0, 3.5]})"),
        ):
            yield (
                f"{title} {name}",
                (
                    torch_call.replace("{", "torch.tensor(").replace("}", f", dtype=torch.{name})"),
                    expression.replace("{", "np.array(").replace("}", f").astype({ours})"),
                ),
            )


def binomials() -> Iterator[Case]:
    """Numbers of successes, for few and many trials."""
    trials, chances = "[5.0, 40.0, 100.0, 7.0, 300.0, 0.0, 60.0]", "[0.3, 0.5, 0.9, 1.0, 0.2, 0.5, 0.55]"
    for ours, name in (("f32", "float32"), ("f64", "float64")):
        yield (
            f"binomial {name}",
            (
                f"torch.binomial(torch.tensor({trials}, dtype=torch.{name}), torch.tensor({chances}, dtype=torch.{name}))",
                f"binomial(g, np.array({trials}).astype({ours}), np.array({chances}).astype({ours}))",
            ),
        )


def whole_numbers() -> Iterator[Case]:
    """Whole numbers of a dtype's whole range, and within bounds."""
    for ours, name in (("i64", "int64"), ("i32", "int32"), ("u8", "uint8"), ("b1", "bool"), ("f16", "float16")):
        nine = f"torch.empty(9, dtype=torch.{name})"
        yield f"random_() {name}", (f"{nine}.random_()", f"whole_range(g, (9,), {ours})")
        yield f"random_(0, None) {name}", (f"{nine}.random_(0, None)", f"integers(g, (9,), {ours}, 0, None)")
    for low, high in ((0, 2049), (-4099, 1), (0, 2048), (5, 60001)):
        call = f"torch.empty(9, dtype=torch.float16).random_({low}, {high})"
        yield f"random_({low}, {high}) float16", (call, f"integers(g, (9,), f16, {low}, {high})")
    for low, high in ((0, 2), (-3, 7), (0, 2**28 - 1), (0, 2**28), (-(2**62), 2**62), (0, 2**33)):
        call = f"torch.randint({low}, {high}, (3, 4))"
        yield f"randint {low} {high}", (call, f"integers(g, (3, 4), i64, {low}, {high})")
    yield (
        "all integers",
        ("torch.empty(5, dtype=torch.int64).random_(-2**63, None)", "integers(g, (5,), i64, -2**63, None)"),
    )


def permutations() -> Iterator[Case]:
    """Orders of so many things."""
    for n in (0, 1, 2, 10, 100, 2000):
        yield f"randperm {n}", (f"torch.randperm({n})", f"permutation(g, {n}, i64)")
    yield "randperm float16", ("torch.randperm(9, dtype=torch.float16)", "permutation(g, 9, f16)")


def complex_numbers() -> Iterator[Case]:
    """Complex numbers, whose parts are drawn in turn."""
    for n, (ours, name) in product((3, 8, 9, 40), (("c64", "complex64"), ("c128", "complex128"))):
        yield f"randn {n} {name}", (f"torch.randn({n}, dtype=torch.{name})", f"normal(g, ({n},), {ours})")
        yield f"rand {n} {name}", (f"torch.rand({n}, dtype=torch.{name})", f"uniform(g, ({n},), {ours})")


def memory() -> Iterator[Case]:
    """What a generator keeps from call to call, and what depends on where and how much is written."""
    yield (
        "two serial calls",
        (
            "torch.cat([torch.randn(3), torch.rand(2), torch.randn(2)])",
            "np.concatenate([normal(g, (3,), f32), uniform(g, (2,), f32), normal(g, (2,), f32)])",
        ),
    )
    yield (
        "normal in strided memory",
        ("torch.empty(40, 2)[:, 0].normal_()", "normal(g, (40,), f32, contiguous=False)"),
    )
    yield (
        "uniform never returns high",
        (
            "torch.empty(3000, dtype=torch.float16).uniform_(1.0, 1.002)",
            "uniform(g, (3000,), f16, 1.0, 1.002)",
        ),
    )
    yield "a long normal", ("torch.randn(5003)", "normal(g, (5003,), f32)")
