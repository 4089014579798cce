"""Stories about tensors without elements, and about zeros that have a sign."""

from __future__ import annotations

from typing import Any


def a_negative_zero_keeps_its_sign(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    for number in (1, 3, 8, 9, 33):
        for dtype in (torch.float32, torch.float64):
            x = torch.full((number,), -0.0, dtype=dtype)
            for activate in (functional.relu, functional.relu6, functional.elu, functional.selu, functional.hardtanh):
                say((1 / activate(x)).tolist())
            say((1 / x.clamp(min=0)).tolist(), (1 / x.clamp(0, 1)).tolist(), (1 / x.relu_()).tolist())
    say(1 / functional.relu(torch.tensor(-0.0)), 1 / functional.elu(torch.tensor(-0.0)))


def filling_places_of_nothing(torch: Any, say: Any) -> None:
    for shape in ((0,), (2, 0), (0, 2), (0, 0)):
        for dim in (0, -1):
            for index in torch.zeros(0, dtype=torch.int64), torch.tensor([0]), torch.tensor([5]):
                x = torch.zeros(shape)
                say(shape, dim, index.tolist())
                say.error(lambda x=x, dim=dim, index=index: say(x.index_fill(dim, index, 1.0).shape))
                if shape[dim] == 0:
                    say.error(lambda x=x, dim=dim, index=index: say(x.index_select(dim, index).shape))
                say.error(lambda x=x, dim=dim, index=index: x.index_copy_(dim, index, x[-1:].clone()))


def pooling_nothing(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    for shape in ((3,), (2, 3), (1, 2, 0), (2, 0), (1, 0, 4), (0, 2, 4), (1, 2, 0, 4), (1, 2, 4, 0, 4), (0, 2, 4, 4)):
        for pool in (functional.avg_pool1d, functional.max_pool1d, functional.avg_pool2d, functional.max_pool2d,
                     functional.avg_pool3d, functional.max_pool3d):  # fmt: skip
            say.error(lambda pool=pool, shape=shape: say(pool(torch.zeros(shape), 2).shape))
        say.error(lambda shape=shape: functional.max_pool1d(torch.zeros(shape), 2, return_indices=True))


def a_convolution_without_elements(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    say.error(lambda: functional.conv1d(torch.zeros(1, 2, 0), torch.zeros(1, 2, 0)))
    say.error(lambda: functional.conv1d(torch.ones(1, 2, 3), torch.zeros(1, 2, 0)))
    say.error(lambda: functional.conv1d(torch.zeros(1, 1, 0), torch.zeros(1, 1, 1), padding=1))
    say.error(lambda: functional.conv2d(torch.zeros(1, 2, 3, 4), torch.zeros(1, 2, 0, 1)))
    say.error(lambda: functional.conv3d(torch.zeros(1, 2, 3, 4, 5), torch.zeros(1, 2, 1, 0, 1)))
    say(functional.conv1d(torch.zeros(0, 2, 3), torch.zeros(4, 2, 1)).shape)


def writing_to_the_diagonal_of_nothing(torch: Any, say: Any) -> None:
    for shape in ((0, 0), (2, 0)):
        x = torch.zeros(shape)
        say(x.diagonal().fill_(1.0), x.diagonal().add_(1.0), x.diagonal().zero_(), x._version)


def what_is_said_of_no_classes_and_no_samples(torch: Any, say: Any) -> None:
    scores = torch.zeros(2, 0)
    say(torch.nn.functional.cross_entropy(scores, scores.softmax(-1)))
    say(torch.nn.functional.cross_entropy(scores, scores.softmax(-1), label_smoothing=0.1))
    say(torch.trapezoid(torch.zeros(0)), torch.trapezoid(torch.zeros(0))._version, torch.trapezoid(scores))
