"""``torch.distributions``: sampling, log-probabilities, entropies and divergences, built from the engine's operators.

The formulas are PyTorch's, operator by operator, so the backward graph is the same; the draws come from
`engine.random`, so the samples are the same too.
"""

from engine.distributions import constraints as constraints
from engine.distributions import cross_divergence as cross_divergence
from engine.distributions import normal_vector_divergence as normal_vector_divergence
from engine.distributions import transforms as transforms
from engine.distributions.constraint_registry import biject_to, transform_to
from engine.distributions.continuous import Cauchy, Exponential, Laplace, Uniform
from engine.distributions.continuous_bernoulli import ContinuousBernoulli
from engine.distributions.counts import Binomial, Geometric, Poisson
from engine.distributions.discrete import Bernoulli, Categorical, OneHotCategorical
from engine.distributions.distribution import Distribution
from engine.distributions.divergence import kl_divergence, register_kl
from engine.distributions.exponential_family import ExponentialFamily
from engine.distributions.extremes import Gumbel, Kumaraswamy, Pareto, Weibull
from engine.distributions.folded import HalfCauchy, HalfNormal
from engine.distributions.gamma import Beta, Chi2, Dirichlet, Gamma
from engine.distributions.generalized_pareto import GeneralizedPareto
from engine.distributions.independent import Independent
from engine.distributions.lkj_cholesky import LKJCholesky
from engine.distributions.low_rank import LowRankMultivariateNormal
from engine.distributions.many_counts import Multinomial, NegativeBinomial
from engine.distributions.mixture import MixtureSameFamily
from engine.distributions.multivariate_normal import MultivariateNormal
from engine.distributions.normal import LogNormal, Normal
from engine.distributions.relaxed import (
    ExpRelaxedCategorical,
    LogisticNormal,
    LogitRelaxedBernoulli,
    OneHotCategoricalStraightThrough,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from engine.distributions.student import FisherSnedecor, InverseGamma, StudentT
from engine.distributions.transformed import TransformedDistribution
from engine.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)
from engine.distributions.von_mises import VonMises
from engine.distributions.wishart import Wishart

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpRelaxedCategorical",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LogitRelaxedBernoulli",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "identity_transform",
    "kl_divergence",
    "register_kl",
    "transform_to",
]
