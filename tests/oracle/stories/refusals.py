"""Stories about calls with the wrong things: what is refused, and in whose words."""

from __future__ import annotations

from typing import Any

import numpy as np

ONE = """
adaptive_avg_pool2d alpha_dropout avg_pool1d avg_pool2d celu dropout elu gelu group_norm gumbel_softmax hardsigmoid hardswish
hardtanh instance_norm interpolate layer_norm leaky_relu log_softmax logsigmoid max_pool1d max_pool2d mish normalize one_hot pad
relu relu6 rms_norm selu silu softmax softplus softshrink softsign tanhshrink threshold unfold
"""
"""Functions of one tensor."""
TWO = """
binary_cross_entropy binary_cross_entropy_with_logits conv1d conv2d conv_transpose2d cosine_similarity cross_entropy embedding
hinge_embedding_loss huber_loss l1_loss linear mse_loss nll_loss pairwise_distance prelu smooth_l1_loss
"""
"""Functions of two."""
NEEDED: dict[str, tuple[Any, ...]] = {
    "adaptive_avg_pool2d": (1,), "avg_pool1d": (2,), "avg_pool2d": (2,), "group_norm": (1,), "interpolate": (4,),
    "layer_norm": ((3,),), "log_softmax": (1,), "max_pool1d": (2,), "max_pool2d": (2,), "pad": ((1, 1),),
    "rms_norm": ((3,),), "softmax": (1,), "threshold": (1.0, 1.0), "unfold": (1,),
}  # fmt: skip
"""What else a function must be given."""
NO_TENSORS = ([1.0, 2.0], np.ones((2, 3)), 3)


def functions_refuse_what_is_no_tensor(torch: Any, say: Any) -> None:
    for name in ONE.split():
        function = getattr(torch.nn.functional, name)
        for value in NO_TENSORS:
            say(name)
            say.error(lambda f=function, v=value, n=name: f(v, *NEEDED.get(n, ())))


def functions_refuse_what_is_no_tensor_in_second_place(torch: Any, say: Any) -> None:
    for name in TWO.split():
        function = getattr(torch.nn.functional, name)
        for value in NO_TENSORS:
            say(name)
            say.error(lambda f=function, v=value: f(v, torch.ones(2, 3)))
            say.error(lambda f=function, v=value: f(torch.ones(2, 3), v))


def layers_refuse_what_is_no_tensor(torch: Any, say: Any) -> None:
    nn = torch.nn
    for layer in (
        nn.Linear(3, 2), nn.Conv2d(1, 1, 1), nn.ReLU(), nn.BatchNorm1d(3), nn.LayerNorm(3), nn.Embedding(4, 2),
        nn.MaxPool2d(2), nn.Sequential(nn.Flatten(), nn.Linear(3, 2)), nn.GELU(), nn.Dropout(), nn.LSTM(3, 2),
    ):  # fmt: skip
        for value in NO_TENSORS:
            say(type(layer).__name__)
            say.error(lambda m=layer, v=value: m(v))
    for loss in (nn.MSELoss(), nn.CrossEntropyLoss(), nn.L1Loss(), nn.BCELoss(), nn.NLLLoss(), nn.BCEWithLogitsLoss()):
        for value in NO_TENSORS:
            say(type(loss).__name__)
            say.error(lambda f=loss, v=value: f(torch.ones(2, 3), v))


def targets_are_classes(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    for dtype in (torch.float, torch.int, torch.bool, torch.int16, torch.double, torch.uint8):
        say.error(lambda d=dtype: functional.cross_entropy(torch.zeros(4, 3), torch.zeros(4, dtype=d)).item())
        say.error(lambda d=dtype: functional.nll_loss(torch.zeros(4, 3, 2, 2), torch.zeros(4, 2, 2, dtype=d)).item())


def a_recurrent_cell_checks_its_input_and_states(torch: Any, say: Any) -> None:
    for kind in (torch.nn.RNNCell, torch.nn.GRUCell, torch.nn.LSTMCell):
        cell = kind(4, 8)

        def states(*shape: int, kind: Any = kind) -> Any:
            return (torch.zeros(*shape),) * 2 if kind is torch.nn.LSTMCell else torch.zeros(*shape)

        say.error(lambda c=cell: c(torch.zeros(2, 5)))
        say.error(lambda c=cell: c(torch.zeros(5)))
        say.error(lambda c=cell, s=states: c(torch.zeros(2, 4), s(2, 7)))
        say.error(lambda c=cell, s=states: c(torch.zeros(2, 4), s(3, 8)))
        say.error(lambda c=cell: c(torch.zeros(1, 2, 4)))


def an_optimizer_names_what_it_was_given(torch: Any, say: Any) -> None:
    net = torch.nn.Linear(1, 1)
    for params in ([net.parameters()], [net.named_parameters()], [net], [[torch.zeros(1)]], ["w"], [None], [3]):
        say.error(lambda p=params: torch.optim.SGD(p, lr=0.1))


def a_shape_is_no_call(torch: Any, say: Any) -> None:
    x = torch.ones(2, 3)
    for call in (lambda: x.shape(), lambda: x.dtype(), lambda: x.device(), lambda: torch.float32(3)):
        say.error(call)
    for read in (lambda: x.shape.rows, lambda: x.dtype.bits, lambda: x.device.name):
        say.error(read)


def clipping_values_needs_a_gradient(torch: Any, say: Any) -> None:
    net = torch.nn.Linear(2, 1)
    say.error(lambda: torch.nn.utils.clip_grad_value_(net.parameters(), 1.0))
    say(torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0))
    net(torch.ones(1, 2)).sum().backward()
    torch.nn.utils.clip_grad_value_(net.parameters(), 0.5)
    say([p.grad for p in net.parameters()])


def a_copied_parameter_starts_without_gradient(torch: Any, say: Any) -> None:
    import copy

    net = torch.nn.Linear(2, 1)
    leaf = torch.ones(2, requires_grad=True)
    (net(torch.ones(1, 2)).sum() + leaf.sum()).backward()
    say(copy.deepcopy(net).weight.grad, copy.deepcopy(net.bias).grad, copy.copy(net).weight.grad)
    say(copy.deepcopy(leaf).grad)


def a_batch_first_lstm_gives_a_view(torch: Any, say: Any) -> None:
    for dtype in (torch.float32, torch.float64):
        output, _ = torch.nn.LSTM(3, 4, batch_first=True, dtype=dtype)(torch.zeros(2, 3, 3, dtype=dtype))
        say(output.grad_fn.name(), output._is_view(), output.stride())


def columns_of_a_batch_are_tuples(torch: Any, say: Any) -> None:
    collate = torch.utils.data.default_collate
    say(
        collate([(1, "a"), (2, "b")]),
        collate(["a", "b"]),
        collate([{"s": "a", "n": [1, "x"]}, {"s": "b", "n": [2, "y"]}]),
    )


def layers_refuse_other_dtypes(torch: Any, say: Any) -> None:
    nn = torch.nn
    for dtype in (torch.float64, torch.int64, torch.uint8):
        for layer, shape in (
            (nn.Conv1d(1, 1, 2), (1, 1, 4)), (nn.Conv2d(1, 1, 2), (1, 1, 4, 4)), (nn.Linear(4, 2), (1, 4)),
            (nn.BatchNorm1d(4), (2, 4)), (nn.LayerNorm(4), (2, 4)), (nn.GroupNorm(2, 4), (1, 4, 2)), (nn.PReLU(), (2, 4)),
            (nn.GRU(4, 2), (2, 1, 4)), (nn.LSTM(4, 2), (2, 1, 4)), (nn.RNN(4, 2), (2, 1, 4)), (nn.LSTMCell(4, 2), (1, 4)),
        ):  # fmt: skip
            say(type(layer).__name__, dtype)
            say.error(lambda m=layer, s=shape, d=dtype: m(torch.zeros(s, dtype=d)))
        say.error(lambda d=dtype: nn.Bilinear(4, 4, 1)(torch.zeros(2, 4, dtype=d), torch.zeros(2, 4, dtype=d)))
    for dtype in (torch.int64, torch.uint8):
        say.error(lambda d=dtype: nn.functional.gelu(torch.zeros(3, dtype=d)))
        say.error(lambda d=dtype: nn.functional.log_softmax(torch.zeros(2, 3, dtype=d), 1))
        say.error(lambda d=dtype: nn.functional.layer_norm(torch.zeros(2, 3, dtype=d), (3,)))


def losses_refuse_whole_numbers(torch: Any, say: Any) -> None:
    functional, pairs = (
        torch.nn.functional,
        ((torch.float, torch.long), (torch.long, torch.float), (torch.long, torch.long)),
    )
    for name in ("mse_loss", "smooth_l1_loss", "binary_cross_entropy_with_logits"):
        for left, right in pairs:
            say(name, left, right)
            say.error(
                lambda n=name, a=left, b=right: getattr(functional, n)(torch.zeros(2, dtype=a), torch.zeros(2, dtype=b))
            )
    for left, right in pairs:
        say.error(
            lambda a=left, b=right: functional.kl_div(torch.zeros(2, dtype=a), torch.zeros(2, dtype=b), reduction="sum")
        )
    wide = functional.binary_cross_entropy_with_logits(torch.zeros(2, requires_grad=True), torch.zeros(2).double())
    say(wide)


def functions_that_are_no_modules_are_named(torch: Any, say: Any) -> None:
    say.error(lambda: torch.nn.Sequential(torch.nn.ReLU(), torch.relu))
    say.error(lambda: torch.nn.Sequential(3))
    say.error(lambda: torch.func.grad(lambda x: x * 2)(torch.ones(3)))
    say.error(lambda: torch.func.grad(lambda x: 3)(torch.ones(3)))


def saving_a_number_is_refused_after_forward(torch: Any, say: Any) -> None:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: Any) -> Any:
            ctx.save_for_backward(x, factor)
            say("forward ran")
            return x * factor

    say.error(lambda: Scale.apply(torch.ones(1, requires_grad=True), 3))


def an_lstm_selects_its_states(torch: Any, say: Any) -> None:
    for kind in (torch.nn.LSTM, torch.nn.GRU):
        for dtype in (torch.float32, torch.float64):
            net, state = kind(2, 3, dtype=dtype), None
            for _ in range(2):
                output, state = net(torch.ones(1, 1, 2, dtype=dtype), state)
            seen = {node.name() for node in walk(output.grad_fn)}
            say(kind.__name__, dtype, sorted(seen))


def walk(node: Any) -> list[Any]:
    found, waiting = [], [node]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.append(node)
            waiting += [receiver for receiver, _ in node.next_functions]
    return found


def attributes_of_a_tensor_are_not_for_deleting(torch: Any, say: Any) -> None:
    result = torch.ones(2, requires_grad=True) * 2
    for name in (
        "data", "requires_grad", "_grad_fn", "_backward_hooks", "grad_fn", "is_leaf", "output_nr", "shape", "dtype", "layout", "device",
        "name", "ndim", "retains_grad", "itemsize", "nbytes", "is_sparse",
    ):  # fmt: skip
        say.error(lambda n=name: delattr(result, n))
    say.error(lambda: setattr(result, "_grad_fn", result.grad_fn))
    say(result._grad_fn is result.grad_fn)
    del result.grad
    result._grad_fn = None
    say(result, result.grad_fn, result.requires_grad)


def what_asks_for_an_accelerator_is_refused(torch: Any, say: Any) -> None:
    accelerator = torch.accelerator
    for name in (
        "reset_peak_memory_stats",
        "max_memory_allocated",
        "synchronize",
        "current_device_index",
        "current_stream",
        "memory_stats",
    ):
        say.error(getattr(accelerator, name))
    say(accelerator.is_available(), accelerator.device_count(), accelerator.current_accelerator())


def data_of_another_layout_is_refused(torch: Any, say: Any) -> None:
    dense = torch.ones(2)
    sparse = torch.eye(2).to_sparse()
    say.error(lambda: setattr(dense, "data", sparse))
    say.error(lambda: setattr(sparse, "data", dense))


def in_place_functions_of_two_tensors_take_no_number(torch: Any, say: Any) -> None:
    x = torch.ones(2)
    say.error(lambda: x.atan2_(2))
    say.error(lambda: x.arctan2_(2))
    say.error(lambda: x.hypot_(2))
    say.error(lambda: x.igamma_(2))
    say.error(lambda: x.igammac_(2))
    say.error(lambda: x.nextafter_(2))
    say.error(lambda: x.logical_and_(2))
    say.error(lambda: x.logical_or_(2))
    say.error(lambda: x.logical_xor_(2))
    say.error(lambda: x.heaviside_(2))
    say(x, x.clone().atan2_(x), x.clone().logical_and_(torch.zeros(2)))
    say(hasattr(torch.Tensor, "logaddexp_"), hasattr(torch.Tensor, "logaddexp2_"), hasattr(torch.Tensor, "signbit_"))


def what_is_no_tensor_class_is_refused(torch: Any, say: Any) -> None:
    say.error(lambda: torch.ones(2).as_subclass(int))
    say.error(lambda: torch.Tensor._make_subclass(int, torch.ones(2)))
    say.error(lambda: torch.autograd.graph.saved_tensors_hooks(1, 2).__enter__())


def a_parameter_without_a_shape(torch: Any, say: Any) -> None:
    weight = torch.nn.LazyLinear(2).weight
    for name in ("numel", "dim", "sum", "normal_", "detach", "requires_grad_", "tolist"):
        say.error(getattr(weight, name))
    say.error(lambda: weight.view(-1))
    say.error(lambda: weight.shape)
    say(
        weight.requires_grad,
        weight.is_leaf,
        str(weight.dtype),
        weight.grad,
        weight.is_floating_point(),
        weight.double(),
    )
