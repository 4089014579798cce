"""Expressions around ``torch.distributions``; each side evaluates them with its own ``torch``.

Every distribution is asked for the same things; a name that one lacks is refused by both.
"""

from __future__ import annotations

MADE = {
    "Normal(0.5, 2.0)": "torch.tensor([0.3, -1.0])",
    "Normal(LEAF([0.0, 1.0]), LEAF([1.0, 2.0]))": "torch.tensor([0.3, -1.0])",
    "LogNormal(0.0, 1.0)": "torch.tensor([0.3, 1.5])",
    "HalfNormal(LEAF(2.0))": "torch.tensor([0.3, 1.5])",
    "Uniform(-1.0, LEAF(3.0))": "torch.tensor([0.3, 1.5])",
    "Exponential(LEAF([0.5, 2.0]))": "torch.tensor([0.3, 1.5])",
    "Laplace(LEAF(0.5), LEAF(2.0))": "torch.tensor([0.3, -1.5])",
    "Cauchy(LEAF(0.5), 2.0)": "torch.tensor([0.3, -1.5])",
    "Gamma(LEAF([0.5, 2.0]), LEAF(3.0))": "torch.tensor([0.3, 1.5])",
    "Chi2(torch.tensor(3.0))": "torch.tensor([0.3, 1.5])",
    "Beta(LEAF(0.5), LEAF(2.0))": "torch.tensor([0.3, 0.7])",
    "Dirichlet(LEAF([0.5, 2.0, 1.0]))": "torch.tensor([0.3, 0.5, 0.2])",
    "Bernoulli(0.3)": "torch.tensor([0.0, 1.0])",
    "Bernoulli(LEAF([0.3, 0.5]))": "torch.tensor([0.0, 1.0])",
    "Bernoulli(logits=LEAF([0.3, -2.0]))": "torch.tensor([0.0, 1.0])",
    "Categorical(LEAF([0.2, 0.3, 0.5]))": "torch.tensor([0, 2])",
    "Categorical(logits=LEAF([[0.2, 0.3, 0.5], [1.0, 2.0, 3.0]]))": "torch.tensor([0, 2])",
    "OneHotCategorical(torch.tensor([0.2, 0.8]))": "torch.tensor([[0.0, 1.0], [1.0, 0.0]])",
    "Poisson(LEAF([0.5, 20.0]))": "torch.tensor([0.0, 12.0])",
    "Geometric(LEAF([0.5, 0.2]))": "torch.tensor([0.0, 4.0])",
    "Binomial(5, LEAF([0.5, 0.2]))": "torch.tensor([0.0, 4.0])",
    "Independent(D.Normal(LEAF([0.0, 1.0]), 1.0), 1)": "torch.tensor([0.3, -1.0])",
}
ASKED = (
    "{}", "{}.batch_shape, {}.event_shape", "{}.mean", "{}.mode", "{}.variance", "{}.stddev", "{}.sample()",
    "{}.sample((3,))", "{}.sample((20,)).shape", "{}.rsample((2,))", "{}.log_prob(VALUE)", "{}.entropy()",
    "{}.expand((3,) + {}.batch_shape).batch_shape", "{}.support",
)  # fmt: skip
PAIRS = (
    ("Normal(0.0, 1.0)", "Normal(LEAF(1.0), LEAF(2.0))"),
    ("Bernoulli(LEAF([0.3, 0.0]))", "Bernoulli(torch.tensor([0.6, 0.5]))"),
    ("Categorical(LEAF([0.2, 0.8]))", "Categorical(torch.tensor([0.5, 0.5]))"),
    ("Exponential(LEAF(2.0))", "Exponential(1.0)"),
    ("Uniform(0.0, 1.0)", "Uniform(-1.0, 2.0)"),
    ("Laplace(LEAF(0.0), 1.0)", "Laplace(1.0, 2.0)"),
    ("Poisson(LEAF(2.0))", "Poisson(3.0)"),
    ("Gamma(LEAF(2.0), 1.0)", "Gamma(3.0, 2.0)"),
    ("Beta(LEAF(2.0), 1.0)", "Beta(3.0, 2.0)"),
    ("Dirichlet(LEAF([1.0, 2.0]))", "Dirichlet(torch.tensor([3.0, 2.0]))"),
    ("Independent(D.Normal(torch.zeros(2), 1.0), 1)", "Independent(D.Normal(torch.ones(2), 1.0), 1)"),
    ("Cauchy(0.0, 1.0)", "Cauchy(0.0, 2.0)"),
)
OTHERS = """
D.Normal(0.0, -1.0)
D.Normal(torch.zeros(2), torch.tensor([1.0, -1.0]))
D.Normal("a", 1.0)
D.Normal(0.0, 1.0).log_prob(3)
D.Normal(torch.zeros(2), 1.0).log_prob(torch.zeros(3))
D.Normal(0.0, 1.0).cdf(torch.tensor([0.0, 1.0]))
D.Normal(0.0, 1.0).icdf(torch.tensor([0.5, 0.9]))
D.Normal(0.0, 1.0).perplexity()
D.Bernoulli(1.5)
D.Bernoulli(0.5, 0.5)
D.Bernoulli()
D.Bernoulli(0.3).log_prob(torch.tensor(0.5))
D.Bernoulli(torch.tensor([0.3, 0.6])).enumerate_support()
D.Categorical(torch.tensor(0.5))
D.Categorical(torch.tensor([-0.5, 1.5]))
D.Categorical(torch.tensor([0.2, 0.8])).log_prob(torch.tensor(2))
D.Categorical(torch.tensor([2.0, 6.0])).probs
D.Categorical(torch.tensor([0.2, 0.8])).logits
D.Categorical(torch.tensor([0.2, 0.8])).enumerate_support()
D.Uniform(1.0, 0.0)
D.Exponential(0.0)
D.Normal(0.0, -1.0, validate_args=False)
D.constraints.positive, D.constraints.real, D.constraints.unit_interval, D.constraints.simplex
"""
EXPRESSIONS = [
    expression.replace("D.", "torch.distributions.").replace(
        "LEAF(", "(lambda v: torch.tensor(v, requires_grad=True))("
    )
    for expression in (
        *(asked.replace("{}", f"D.{made}").replace("VALUE", value) for made, value in MADE.items() for asked in ASKED),
        *(f"D.kl_divergence(D.{p}, D.{q})" for p, q in PAIRS),
        *OTHERS.strip().splitlines(),
    )
]
