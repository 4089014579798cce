"""Random calls spelled twice: as PyTorch's and as ours on numpy. Imported by both sides, so it imports neither.

A torch expression sees ``torch``; ours sees the names of `engine.random`, ``g`` (the generator), ``np`` and ``f32``,
``f64``, ``f16``, ``bf16``, ``i64``, … for the numpy dtypes.
"""

from __future__ import annotations

SEEDS = (0, 42, -7, 2**40 + 3)
SIZES = (1, 2, 15, 16, 17, 40, 100)
DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}


def cases() -> dict[str, tuple[str, str]]:
    """Name → (torch expression, our expression)."""
    found: dict[str, tuple[str, str]] = {}
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
                found[f"{torch_call}.{method}"] = (f"{torch_call}.{method}", expression)
        weights = "[0.1, 0.0, 2.0, 0.7, 1.5]"
        for count in (1, 3):
            for replacement in (True, False):
                found[f"multinomial {name} {count} {replacement}"] = (
                    f"torch.multinomial(torch.tensor({weights}, dtype=torch.{name}), {count}, {replacement})",
                    f"multinomial(g, np.array({weights}).astype({ours}), {count}, {replacement})",
                )
        rates = "[0.0, 0.3, 4.0, 9.5, 10.0, 33.0, 500.0]"
        chances = "[0.25, 0.0, 1.0, 0.5, 0.75]"
        for title, torch_call, expression in (
            ("bernoulli", f"torch.bernoulli({{{chances}}})", f"bernoulli_of(g, {{{chances}}}, {ours})"),
            ("poisson", f"torch.poisson({{{rates}}})", f"poisson(g, {{{rates}}})"),
            ("standard gamma", f"torch._standard_gamma({{{rates}}})", f"standard_gamma(g, {{{rates}}})"),
            ("dirichlet", "torch._sample_dirichlet({[0.2, 1.0, 3.5]})", "dirichlet(g, {[0.2, 1.0, 3.5]})"),
        ):
            found[f"{title} {name}"] = (
                torch_call.replace("{", "torch.tensor(").replace("}", f", dtype=torch.{name})"),
                expression.replace("{", "np.array(").replace("}", f").astype({ours})"),
            )
    for ours, name in (("f32", "float32"), ("f64", "float64")):
        trials, chances = "[5.0, 40.0, 100.0, 7.0, 300.0, 0.0, 60.0]", "[0.3, 0.5, 0.9, 1.0, 0.2, 0.5, 0.55]"
        found[f"binomial {name}"] = (
            f"torch.binomial(torch.tensor({trials}, dtype=torch.{name}), torch.tensor({chances}, dtype=torch.{name}))",
            f"binomial(g, np.array({trials}).astype({ours}), np.array({chances}).astype({ours}))",
        )
    for ours, name in (("i64", "int64"), ("i32", "int32"), ("u8", "uint8"), ("b1", "bool"), ("f16", "float16")):
        found[f"random_() {name}"] = (f"torch.empty(9, dtype=torch.{name}).random_()", f"whole_range(g, (9,), {ours})")
        found[f"random_(0, None) {name}"] = (
            f"torch.empty(9, dtype=torch.{name}).random_(0, None)",
            f"integers(g, (9,), {ours}, 0, None)",
        )
    for low, high in ((0, 2049), (-4099, 1), (0, 2048), (5, 60001)):
        found[f"random_({low}, {high}) float16"] = (
            f"torch.empty(9, dtype=torch.float16).random_({low}, {high})",
            f"integers(g, (9,), f16, {low}, {high})",
        )
    for low, high in ((0, 2), (-3, 7), (0, 2**28 - 1), (0, 2**28), (-(2**62), 2**62), (0, 2**33)):
        found[f"randint {low} {high}"] = (
            f"torch.randint({low}, {high}, (3, 4))",
            f"integers(g, (3, 4), i64, {low}, {high})",
        )
    found["all integers"] = (
        "torch.empty(5, dtype=torch.int64).random_(-2**63, None)",
        "integers(g, (5,), i64, -2**63, None)",
    )
    for n in (0, 1, 2, 10, 100, 2000):
        found[f"randperm {n}"] = (f"torch.randperm({n})", f"permutation(g, {n}, i64)")
    found["randperm float16"] = ("torch.randperm(9, dtype=torch.float16)", "permutation(g, 9, f16)")
    for n in (3, 8, 9, 40):
        for ours, name in (("c64", "complex64"), ("c128", "complex128")):
            found[f"randn {n} {name}"] = (f"torch.randn({n}, dtype=torch.{name})", f"normal(g, ({n},), {ours})")
            found[f"rand {n} {name}"] = (f"torch.rand({n}, dtype=torch.{name})", f"uniform(g, ({n},), {ours})")
    found["two serial calls"] = (
        "torch.cat([torch.randn(3), torch.rand(2), torch.randn(2)])",
        "np.concatenate([normal(g, (3,), f32), uniform(g, (2,), f32), normal(g, (2,), f32)])",
    )
    found["normal in strided memory"] = (
        "torch.empty(40, 2)[:, 0].normal_()",
        "normal(g, (40,), f32, contiguous=False)",
    )
    found["uniform never returns high"] = (
        "torch.empty(3000, dtype=torch.float16).uniform_(1.0, 1.002)",
        "uniform(g, (3000,), f16, 1.0, 1.002)",
    )
    found["a long normal"] = ("torch.randn(5003)", "normal(g, (5003,), f32)")
    return found
