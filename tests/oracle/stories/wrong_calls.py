"""Stories about calls that fit no signature: each expression is evaluated, and what it comes to or is told is kept."""

from __future__ import annotations

from typing import Any

SIZES = """
torch.zeros((2.5,))  torch.zeros(2.5, 3)  torch.zeros((2.5, 3))  torch.zeros("a", 3)  torch.zeros((None, 3))  torch.zeros([[2], 3])
torch.zeros(torch.tensor(2.0), 3)  torch.zeros(2, True)  torch.empty((2.5, 3))  torch.full((2.5,), 1)  x.new_ones((2, "a"))
x.view(3, 2.0)  x.view(3, (2,))  x.reshape(2, 1.5)  x.expand(2.0, 3)  x.repeat(1, 2.5)  x.permute(1, 0.0)  x.roll(1.5)
x.unflatten(1, 3)  x.unflatten(1)  x.split()
"""
MISSING = """
F.linear(x)  F.linear(x, 3)  F.conv2d(x)  torch.conv2d(x, 5)  F.conv_transpose2d(x)  F.avg_pool2d(x)  F.cosine_similarity(x)
F.pairwise_distance(x)  F.scaled_dot_product_attention(x)  F.max_pool2d(x)  F.sigmoid(2)  F.tanh("a")
F.adaptive_avg_pool1d(x)  F.avg_pool2d(image, 2.5)  F.max_pool2d(image, 2.5)  F.one_hot(x.long(), "a")  torch.max_pool2d(x)
torch.as_tensor()  torch.asarray()  x.new_tensor()  F.linear(x, x, bias=1)  F.avg_pool2d(image, kernel=2)  torch.tensor(1, 2)
"""
LAYERS = """
nn.Linear(10 / 2, 3)  nn.Linear("a", 3)  nn.Linear(3, None)  nn.Linear(3, (4,))  nn.Linear(-1, 2)  nn.Linear(x, 2)
nn.Conv2d(1, 2, "a")  nn.Conv2d(1, 2, 2.5)  nn.Embedding(3.5, 2)  nn.Embedding("a", 2)  nn.BatchNorm1d(2.5)  nn.PReLU("a")
nn.BatchNorm2d()  nn.InstanceNorm1d()  nn.RNN(3)  nn.MaxPool2d()  nn.AdaptiveAvgPool2d()  nn.AdaptiveMaxPool1d()  nn.LPPool2d(2)
nn.RNN(3, 4, 1, "relu").nonlinearity  nn.RNN(3, 4, nonlinearity="relu").nonlinearity
"""

DTYPES = """
bits.argmax()  bits.argmin()  bits.median()  bits.nanmedian()  bits.topk(1)  bits.kthvalue(1)  bits.histc()  bits.abs()  bits.round()
bits.floor()  bits.ceil()  bits.trunc()  bits.frac()  bits.logcumsumexp(0)  bits.trace()  bits.dist(bits)  whole.frac()  whole.dist(whole)
F.softplus(whole)  F.elu(whole)  F.selu(whole)  F.celu(whole)  F.leaky_relu(whole)  F.silu(whole)  F.mish(whole)  F.glu(whole)
F.hardshrink(whole)  F.softshrink(whole)  F.hardsigmoid(whole)  F.hardswish(whole)  F.logsigmoid(whole)  F.hardtanh(bits)  F.relu6(bits)
F.huber_loss(whole, whole)  F.nll_loss(whole, whole[0])  F.binary_cross_entropy(whole, whole)  F.max_pool1d(whole, 2)
F.interpolate(whole[None], scale_factor=2)  F.interpolate(whole[None], scale_factor=2, mode="linear")
torch.cross(torch.ones(3), torch.ones(3).double(), dim=0)  torch.cdist(x, x.double())  torch.searchsorted(torch.ones(2), whole[0])
torch.zeros(2).index_copy(0, torch.tensor([0]), torch.tensor([1]))  x[torch.tensor([0], dtype=torch.int16)]
[v.hex() for v in torch.xlogy(torch.full((20,), 1 / 3), torch.full((20,), 1 / 3)).tolist()]
"""

LAYOUTS = """
F.conv_transpose2d(image, image[..., :3, :3], output_padding=1)  F.interpolate(image, size=0)  F.interpolate(image[0], size=0)
F.pad(torch.ones(2), (-3, 0))  F.pad(image, (3, 3), mode="reflect")  nn.Unfold(9)(image)  F.unfold(x, 2)  F.group_norm(x[:1], 3)
F.fold(torch.ones(1, 4, 4), (3,), 2)  F.cross_entropy(x, torch.tensor([0, 1]), label_smoothing=2.0)
F.binary_cross_entropy_with_logits(x, x, pos_weight=torch.ones(2))  torch.autograd.backward(None)  torch.autograd.grad(None, x)
torch.autograd.grad(x, None)  x.clone().requires_grad_().bernoulli(0.5).requires_grad
"""


def tell(torch: Any, say: Any, expressions: str) -> None:
    for text in [part for line in expressions.splitlines() for part in line.split("  ") if part]:
        known = {
            "torch": torch, "nn": torch.nn, "F": torch.nn.functional, "x": torch.ones(2, 3), "image": torch.ones(1, 1, 4, 4),
            "bits": torch.tensor([[True, False]]), "whole": torch.tensor([[0, 1]]),
        }  # fmt: skip
        say(text)
        say.error(lambda code=text, names=known: eval(code, names))


def sizes_are_whole_numbers(torch: Any, say: Any) -> None:
    tell(torch, say, SIZES)


def arguments_are_missing_or_wrong(torch: Any, say: Any) -> None:
    tell(torch, say, MISSING)


def layers_are_made_with_wrong_sizes(torch: Any, say: Any) -> None:
    tell(torch, say, LAYERS)


def dtypes_have_no_kernel(torch: Any, say: Any) -> None:
    tell(torch, say, DTYPES)


def images_and_rows_do_not_fit(torch: Any, say: Any) -> None:
    tell(torch, say, LAYOUTS)
