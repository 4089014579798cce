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
    "OneHotCategoricalStraightThrough(LEAF([0.2, 0.8]))": "torch.tensor([[0.0, 1.0], [1.0, 0.0]])",
    "Multinomial(5, LEAF([0.2, 0.3, 0.5]))": "torch.tensor([1.0, 2.0, 2.0])",
    "Multinomial(4, logits=LEAF([[0.2, 0.3], [1.0, 2.0]]))": "torch.tensor([1.0, 3.0])",
    "NegativeBinomial(5, LEAF([0.5, 0.2]))": "torch.tensor([0.0, 4.0])",
    "NegativeBinomial(3.0, logits=LEAF([0.5, -0.2]))": "torch.tensor([0.0, 4.0])",
    "StudentT(LEAF([1.5, 3.0]), LEAF(0.5), 2.0)": "torch.tensor([0.3, -1.0])",
    "StudentT(3.0)": "torch.tensor(0.5)",
    "FisherSnedecor(LEAF([3.0, 5.0]), 6.0)": "torch.tensor([0.3, 1.5])",
    "InverseGamma(LEAF([3.0, 1.5]), LEAF(2.0))": "torch.tensor([0.3, 1.5])",
    "HalfCauchy(LEAF(2.0))": "torch.tensor([0.3, 1.5])",
    "Gumbel(LEAF([0.5, 1.0]), LEAF(2.0))": "torch.tensor([0.3, -1.5])",
    "Gumbel(0.0, 1.0)": "torch.tensor(0.3)",
    "Weibull(LEAF([0.5, 2.0]), LEAF(1.5))": "torch.tensor([0.3, 1.5])",
    "Pareto(LEAF(0.2), LEAF([3.0, 1.5]))": "torch.tensor([0.3, 1.5])",
    "Kumaraswamy(LEAF([0.5, 2.0]), LEAF(3.0))": "torch.tensor([0.3, 0.7])",
    "LogisticNormal(LEAF([0.0, 1.0]), LEAF([1.0, 2.0]))": "torch.tensor([0.3, 0.5, 0.2])",
    "RelaxedBernoulli(torch.tensor(0.5), LEAF([0.3, 0.6]))": "torch.tensor([0.3, 0.7])",
    "RelaxedBernoulli(torch.tensor(2.0), logits=LEAF(0.3))": "torch.tensor(0.3)",
    "RelaxedOneHotCategorical(torch.tensor(0.5), LEAF([0.2, 0.3, 0.5]))": "torch.tensor([0.3, 0.5, 0.2])",
    "RelaxedOneHotCategorical(torch.tensor(0.5), logits=LEAF([[0.2, 0.3], [1.0, 2.0]]))": "torch.tensor([0.3, 0.7])",
    "MultivariateNormal(LEAF([0.5, 1.0]), LEAF([[2.0, 0.5], [0.5, 1.0]]))": "torch.tensor([0.3, -1.0])",
    "MultivariateNormal(torch.zeros(2), scale_tril=LEAF([[2.0, 0.0], [0.5, 1.0]]))": "torch.tensor([[0.3, -1.0], [1.0, 2.0]])",
    "MultivariateNormal(torch.zeros(3, 2), precision_matrix=LEAF([[2.0, 0.5], [0.5, 1.0]]))": "torch.tensor([0.3, -1.0])",
    "MixtureSameFamily(D.Categorical(LEAF([0.2, 0.8])), D.Normal(LEAF([0.0, 3.0]), 1.0))": "torch.tensor([0.3, 1.0])",
    "MixtureSameFamily(D.Categorical(torch.ones(2)), D.Independent(D.Normal(LEAF([[0.0], [3.0]]), 1.0), 1))": "torch.tensor([0.3])",
    "TransformedDistribution(D.Normal(LEAF(0.5), 2.0), [D.AffineTransform(1.0, LEAF(2.0)), D.ExpTransform()])": "torch.tensor([0.3, 1.5])",
    "TransformedDistribution(D.Normal(LEAF([0.5, 1.0]), 2.0), D.TanhTransform())": "torch.tensor([0.3, -0.5])",
    "TransformedDistribution(D.Uniform(0.0, 1.0), [D.SigmoidTransform().inv, D.AffineTransform(LEAF(1.0), -2.0)])": "torch.tensor(0.3)",
    "ContinuousBernoulli(LEAF([0.3, 0.5, 0.9]))": "torch.tensor([0.0, 0.7, 1.0])",
    "ContinuousBernoulli(logits=LEAF(0.3))": "torch.tensor([0.3, 0.7])",
    "LowRankMultivariateNormal(LEAF([0.5, 1.0]), LEAF([[2.0], [0.5]]), LEAF([1.0, 0.5]))": "torch.tensor([0.3, -1.0])",
    "LowRankMultivariateNormal(torch.zeros(3, 2), LEAF([[2.0], [0.5]]), torch.ones(2))": "torch.tensor([0.3, -1.0])",
    "VonMises(LEAF([0.5, 1.0]), LEAF([2.0, 5.0]))": "torch.tensor([0.3, -1.5])",
}
TRANSFORMS = {
    "ExpTransform()": "LEAF([0.3, -1.0])",
    "PowerTransform(LEAF(2.0))": "LEAF([0.3, 1.0])",
    "SigmoidTransform()": "LEAF([0.3, -1.0])",
    "SoftplusTransform()": "LEAF([0.3, -1.0])",
    "TanhTransform()": "LEAF([0.3, -1.0])",
    "AbsTransform()": "LEAF([0.3, -1.0])",
    "AffineTransform(1.0, LEAF([2.0, -3.0]))": "LEAF([0.3, -1.0])",
    "AffineTransform(LEAF(1.0), -2.0, event_dim=1)": "LEAF([0.3, -1.0])",
    "SoftmaxTransform()": "LEAF([0.3, -1.0])",
    "StickBreakingTransform()": "LEAF([0.3, -1.0])",
    "transforms.LowerCholeskyTransform()": "LEAF([[0.3, -1.0], [2.0, 0.5]])",
    "transforms.PositiveDefiniteTransform()": "LEAF([[0.3, -1.0], [2.0, 0.5]])",
    "IndependentTransform(D.ExpTransform(), 1)": "LEAF([0.3, -1.0])",
    "ReshapeTransform((4,), (2, 2))": "LEAF([0.3, -1.0, 2.0, 0.5])",
    "ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)])": "LEAF([0.3, -1.0])",
    "ExpTransform().inv": "LEAF([0.3, 1.0])",
    "transform_to(D.constraints.positive)": "LEAF([0.3, -1.0])",
    "transform_to(D.constraints.interval(-1.0, 2.0))": "LEAF([0.3, -1.0])",
    "transform_to(D.constraints.less_than(3.0))": "LEAF([0.3, -1.0])",
    "transform_to(D.constraints.simplex)": "LEAF([0.3, -1.0])",
    "biject_to(D.constraints.simplex)": "LEAF([0.3, -1.0])",
    "biject_to(D.constraints.unit_interval)": "LEAF([0.3, -1.0])",
    "transform_to(D.constraints.lower_cholesky)": "LEAF([[0.3, -1.0], [2.0, 0.5]])",
    "transform_to(D.Normal.arg_constraints['scale'])": "LEAF([0.3, -1.0])",
}
MAPPED = (
    "{}", "{}(X)", "{}.inv({}(X))", "{}.log_abs_det_jacobian(X, {}(X))", "{}.bijective", "{}.domain, {}.codomain",
    "{} == {}", "{}.forward_shape(torch.Size([3, 2, 2]))",
)  # fmt: skip
EXPANDED_ENTROPY = "{}.expand((3,) + {}.batch_shape).entropy()"
ASKED = (
    "{}", "{}.batch_shape, {}.event_shape", "{}.mean", "{}.mode", "{}.variance", "{}.stddev", "{}.sample()",
    "{}.sample((3,))", "{}.sample((20,)).shape", "{}.rsample((2,))", "{}.log_prob(VALUE)", "{}.entropy()",
    "{}.expand((3,) + {}.batch_shape).batch_shape", "{}.support", "{}.cdf(VALUE)", "{}.icdf(torch.tensor(0.3))",
    "{}.expand((3,) + {}.batch_shape).mean", "{}.expand((3,) + {}.batch_shape).sample()", "{}.enumerate_support()",
    "{}.expand((3,) + {}.batch_shape).log_prob(VALUE)", EXPANDED_ENTROPY,
    "{}.has_rsample, {}.has_enumerate_support",
)  # fmt: skip
LOW_RANK = "LowRankMultivariateNormal(LEAF([0.5, 1.0]), LEAF([[2.0], [0.5]]), LEAF([1.0, 0.5]))"
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
    ("Gumbel(LEAF(0.5), 2.0)", "Gumbel(1.0, 3.0)"),
    ("Pareto(LEAF(2.0), 2.0)", "Pareto(1.0, 3.0)"),
    ("Pareto(LEAF([0.5, 2.0]), 2.0)", "Pareto(torch.ones(2), 3.0)"),
    ("Binomial(5, LEAF([0.2, 0.4]))", "Binomial(5, torch.tensor([0.5, 0.3]))"),
    ("Binomial(3, LEAF([0.2, 0.4]))", "Binomial(5, torch.tensor([0.5, 0.3]))"),
    (
        "MultivariateNormal(LEAF([0.0, 1.0]), torch.eye(2))",
        "MultivariateNormal(torch.zeros(2), LEAF([[2.0, 0.5], [0.5, 1.0]]))",
    ),
    ("LogNormal(LEAF(0.0), 1.0)", "LogNormal(1.0, 2.0)"),
    ("Bernoulli(LEAF(0.3))", "Poisson(2.0)"),
    ("Beta(LEAF(2.0), 3.0)", "Exponential(2.0)"),
    ("Beta(LEAF(2.0), 3.0)", "Gamma(2.0, 1.5)"),
    ("Beta(LEAF(2.0), 3.0)", "Normal(0.5, 1.5)"),
    ("Beta(LEAF(2.0), 3.0)", "Uniform(-1.0, 2.0)"),
    ("Exponential(LEAF(2.0))", "Gamma(2.0, 1.5)"),
    ("Exponential(LEAF(2.0))", "Normal(0.5, 1.5)"),
    ("Gamma(LEAF(2.0), 1.0)", "Exponential(1.5)"),
    ("Gamma(LEAF(2.0), 1.0)", "Normal(0.5, 1.5)"),
    ("Gumbel(LEAF(0.5), 2.0)", "Normal(0.5, 1.5)"),
    ("Laplace(LEAF(0.5), 2.0)", "Normal(0.0, 1.5)"),
    ("Normal(LEAF(0.5), 2.0)", "Gumbel(0.0, 1.5)"),
    ("Normal(LEAF(0.5), 2.0)", "Laplace(0.0, 1.5)"),
    ("Uniform(LEAF(0.5), 2.0)", "Exponential(1.5)"),
    ("Uniform(LEAF(0.5), 2.0)", "Normal(0.0, 1.5)"),
    ("Normal(0.5, 2.0)", "Gamma(1.0, 1.5)"),
    ("Poisson(2.0)", "Bernoulli(0.5)"),
    ("Normal(0.5, 2.0)", "Cauchy(1.0, 1.5)"),
    ("HalfNormal(LEAF(2.0))", "HalfNormal(1.5)"),
    ("HalfCauchy(LEAF(2.0))", "HalfCauchy(1.5)"),
    ("HalfNormal(2.0)", "HalfCauchy(1.5)"),
    ("InverseGamma(LEAF(3.0), 2.0)", "InverseGamma(1.5, 1.0)"),
    ("OneHotCategorical(LEAF([0.2, 0.8]))", "OneHotCategorical(torch.tensor([0.5, 0.5]))"),
    ("Beta(LEAF(2.0), 3.0)", "ContinuousBernoulli(0.3)"),
    ("ContinuousBernoulli(LEAF(0.3))", "ContinuousBernoulli(0.6)"),
    ("ContinuousBernoulli(LEAF(0.3))", "Exponential(1.5)"),
    ("ContinuousBernoulli(LEAF(0.3))", "Normal(0.5, 1.5)"),
    ("ContinuousBernoulli(LEAF(0.3))", "Pareto(1.0, 1.5)"),
    ("ContinuousBernoulli(LEAF(0.3))", "Uniform(-1.0, 2.0)"),
    ("ContinuousBernoulli(LEAF([0.3, 0.6]))", "Uniform(0.5, 2.0)"),
    ("Exponential(LEAF(2.0))", "ContinuousBernoulli(0.3)"),
    ("Exponential(LEAF(2.0))", "Gumbel(0.5, 1.5)"),
    ("Gamma(LEAF(2.0), 1.0)", "ContinuousBernoulli(0.3)"),
    ("Gamma(LEAF(2.0), 1.0)", "Gumbel(0.5, 1.5)"),
    ("Gumbel(LEAF(0.5), 2.0)", "ContinuousBernoulli(0.3)"),
    ("Laplace(LEAF(0.5), 2.0)", "ContinuousBernoulli(0.3)"),
    ("Normal(LEAF(0.5), 2.0)", "ContinuousBernoulli(0.3)"),
    ("Pareto(LEAF(1.0), 3.0)", "ContinuousBernoulli(0.3)"),
    ("Pareto(LEAF(1.0), 3.0)", "Exponential(1.5)"),
    ("Pareto(LEAF(1.0), torch.tensor([3.0, 0.5]))", "Exponential(1.5)"),
    ("Pareto(LEAF(1.0), torch.tensor([3.0, 0.5]))", "Gamma(2.0, 1.5)"),
    ("Pareto(LEAF(1.0), torch.tensor([3.0, 1.5]))", "Normal(0.5, 1.5)"),
    ("Uniform(LEAF(0.5), 2.0)", "Beta(2.0, 1.5)"),
    ("Uniform(LEAF(0.2), 0.8)", "Beta(2.0, 1.5)"),
    ("Uniform(LEAF(0.2), 0.8)", "ContinuousBernoulli(0.3)"),
    ("Uniform(LEAF(0.5), 2.0)", "ContinuousBernoulli(0.3)"),
    ("Uniform(LEAF(0.5), 2.0)", "Gamma(2.0, 1.5)"),
    ("Uniform(LEAF(-0.5), 2.0)", "Gamma(2.0, 1.5)"),
    ("Uniform(LEAF(0.5), 2.0)", "Gumbel(0.5, 1.5)"),
    ("Uniform(LEAF(0.5), 2.0)", "Pareto(0.2, 1.5)"),
    ("Uniform(LEAF(0.1), 2.0)", "Pareto(0.2, 1.5)"),
    (LOW_RANK, "LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2))"),
    (LOW_RANK, "MultivariateNormal(torch.zeros(2), LEAF([[2.0, 0.5], [0.5, 1.0]]))"),
    ("MultivariateNormal(torch.zeros(2), LEAF([[2.0, 0.5], [0.5, 1.0]]))", LOW_RANK),
)
OTHERS = """
D.kl_divergence(D.Normal(0.0, 1.0), D.Poisson(1.0))
D.kl_divergence(D.Bernoulli(0.5), D.Gamma(1.0, 2.0))
D.kl_divergence(D.Cauchy(0.0, 1.0), D.Normal(0.0, 1.0))
D.MultivariateNormal(torch.zeros(2))
D.MultivariateNormal(torch.tensor(0.0), torch.eye(2))
D.MultivariateNormal(torch.zeros(2), torch.ones(2))
D.MultivariateNormal(torch.zeros(2), -torch.eye(2))
D.MultivariateNormal(torch.zeros(2), scale_tril=torch.ones(2, 2))
D.MultivariateNormal(torch.zeros(2), torch.eye(2)).covariance_matrix
D.MultivariateNormal(torch.zeros(2), torch.eye(2)).scale_tril
D.MultivariateNormal(torch.zeros(2), torch.tensor([[2.0, 0.5], [0.5, 1.0]])).precision_matrix
D.MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.zeros(3))
D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(3, 1), torch.ones(2))
D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)).covariance_matrix
D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)).precision_matrix
D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)).scale_tril
D.ContinuousBernoulli(1.5)
D.ContinuousBernoulli(0.3).cdf(torch.tensor([0.2, 1.0]))
D.NegativeBinomial(3, 1.0)
D.NegativeBinomial(3)
D.Multinomial(torch.tensor(3), torch.ones(2))
D.MixtureSameFamily(D.Normal(0.0, 1.0), D.Normal(torch.zeros(2), 1.0))
D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Normal(torch.zeros(2), 1.0))
D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Normal(torch.zeros(2), 1.0)).cdf(torch.tensor(0.5))
D.TransformedDistribution(D.Normal(0.0, 1.0), "exp")
D.TransformedDistribution(D.Normal(0.0, 1.0), D.StickBreakingTransform())
D.Independent(D.Bernoulli(torch.tensor([0.3, 0.6])), 0).enumerate_support()
D.Bernoulli(torch.tensor([0.3, 0.6])).param_shape, D.Binomial(5, torch.tensor([0.3, 0.6])).param_shape
D.Categorical(torch.tensor([0.3, 0.6])).param_shape, D.OneHotCategorical(torch.tensor([0.3, 0.6])).param_shape
D.OneHotCategorical(torch.ones(2, 3)).enumerate_support(expand=False)
D.StickBreakingTransform().sign
D.AbsTransform().sign
(lambda d: (d.variance, d.expand((2,)).variance))(D.VonMises(0.5, 2.0))
(lambda d: (d.probs, d.expand((2,)).probs))(D.Geometric(logits=torch.tensor(0.5)))
D.Gumbel(0.0, 1.0).cdf(torch.tensor(0.3))
D.Weibull(1.0, 2.0).cdf(torch.tensor(0.3))
D.Weibull(1.0, 2.0).icdf(torch.tensor(0.3))
D.Pareto(1.0, 2.0).cdf(torch.tensor(1.3))
D.HalfCauchy(1.0).cdf(torch.tensor(1.3))
D.Pareto(1.0, 2.0).log_prob(torch.tensor(0.5))
D.RelaxedBernoulli(torch.tensor(0.5), 0.3).log_prob(torch.tensor(1.5))
D.transform_to(D.constraints.boolean)
D.constraints.lower_cholesky, D.constraints.positive_definite, D.constraints.half_open_interval(0.0, 1.0)
D.constraints.square, D.constraints.positive_integer, D.constraints.corr_cholesky, D.constraints.symmetric
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
        *(
            asked.replace("{}", f"D.{made}").replace("VALUE", value)
            for made, value in MADE.items()
            for asked in ASKED
            if not (made.startswith("Multinomial") and asked == EXPANDED_ENTROPY)  # fails inside PyTorch
        ),
        *(
            asked.replace("{}", f"D.{made}").replace("(X", f"({x}")
            for made, x in TRANSFORMS.items()
            for asked in MAPPED
        ),
        *(f"D.kl_divergence(D.{p}, D.{q})" for p, q in PAIRS),
        *OTHERS.strip().splitlines(),
    )
]
