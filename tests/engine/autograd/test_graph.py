"""Hooks, saved-tensor hooks, anomaly mode and modes: what people see of the graph, in PyTorch's order and words."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from engine import torch
from engine.torch.autograd import graph


def leaf(value: object) -> Any:
    return torch.tensor(value, requires_grad=True)


def test_tensor_hooks_run_in_order_and_may_replace_the_gradient() -> None:
    x, seen = leaf([1.0, 2.0]), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 10)
    removed = y.register_hook(lambda g: g * 100)
    removed.remove()
    y.sum().backward()
    assert seen == [[1.0, 1.0]]
    assert x.grad.tolist() == [20.0, 20.0]


def test_a_hook_that_returns_the_wrong_thing_is_refused() -> None:
    y = leaf([1.0, 2.0]) * 2
    y.register_hook(lambda g: 3)
    with pytest.raises(TypeError, match="expected Variable, but hook returned 'int'"):
        y.sum().backward()


def test_a_post_accumulate_hook_sees_the_finished_gradient() -> None:
    x, seen = leaf([1.0, 2.0]), []
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.tolist()))
    (x * x).sum().backward()
    assert seen == [[2.0, 4.0]]


def test_retain_grad_survives_an_in_place_write() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    y.retain_grad()
    y.add_(1)
    (y * 3).sum().backward()
    assert y.grad.tolist() == [3.0, 3.0]


def test_a_multi_grad_hook_is_called_once_with_all_gradients() -> None:
    a, b, seen = leaf([1.0]), leaf([2.0]), []
    graph.register_multi_grad_hook([a, b], lambda gs: seen.append([g.tolist() for g in gs]))
    (a * b).sum().backward()
    assert seen == [[[2.0], [1.0]]]


def test_saved_tensor_hooks_see_what_is_kept_and_used() -> None:
    log: list[str] = []

    def pack(tensor: Any) -> Any:
        log.append("pack")
        return tensor

    def unpack(tensor: Any) -> Any:
        log.append("unpack")
        return tensor

    x = leaf([1.0, 2.0])
    with graph.saved_tensors_hooks(pack, unpack):
        y = (x.exp() * x).sum()
    y.backward()
    assert log == ["pack"] * 3 + ["unpack"] * 3


def test_disabled_saved_tensor_hooks_raise_their_message() -> None:
    with (
        graph.disable_saved_tensors_hooks("not here"),
        pytest.raises(RuntimeError, match="not here"),
        graph.saved_tensors_hooks(lambda t: t, lambda t: t),
    ):
        pass


def test_anomaly_mode_names_the_function_and_shows_the_forward_line() -> None:
    x = leaf(0.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly(), pytest.raises(RuntimeError) as failure:
            (torch.sqrt(x) * 0).backward()
    assert str(failure.value) == "Function 'SqrtBackward0' returned nan values in its 0th output."
    told = "\n".join(str(w.message) for w in caught)
    assert "Error detected in SqrtBackward0. Traceback of forward call that caused the error:" in told
    assert "(torch.sqrt(x) * 0).backward()" in told


def test_no_grad_records_nothing_and_restores_the_mode() -> None:
    x = leaf(1.0)

    @torch.no_grad()
    def inside() -> Any:
        return x * 2

    assert not inside().requires_grad
    with torch.no_grad(), torch.enable_grad():
        assert (x * 2).requires_grad
    assert torch.is_grad_enabled()


def test_inference_tensors_stay_out_of_graphs() -> None:
    with torch.inference_mode():
        x = torch.ones(2)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        x * leaf([1.0, 2.0])


def test_nodes_can_be_run_by_hand_and_walked() -> None:
    a, b = leaf(2.0), leaf(5.0)
    out = (a * b).exp()
    product = out.grad_fn.next_functions[0][0]
    assert product.name() == "MulBackward0"
    assert [g.item() for g in product(torch.tensor(1.0))] == [5.0, 2.0]
    assert product.next_functions[0][0].variable is a


def test_a_gradient_edge_names_the_node_and_output() -> None:
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    second = x.unbind(0)[1]
    edge = graph.get_gradient_edge(second)
    assert edge.node is second.grad_fn
    assert edge.output_nr == 1


def test_increment_version_is_noticed_like_a_write() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    z = y * y
    graph.increment_version(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_a_write_into_a_kept_result_is_noticed_when_only_the_node_still_keeps_it() -> None:
    def shifted(x: Any) -> Any:
        y = torch.sigmoid(x)
        y -= 0.5
        return y

    loss = shifted(leaf([1.0, 2.0])).sum()
    with pytest.raises(RuntimeError, match="output 0 of Sigmoid, is at version 1; expected version 0"):
        loss.backward()


def test_a_node_lists_what_pytorchs_has_and_nothing_of_the_engine() -> None:
    x = torch.ones(2, requires_grad=True)
    product = (x * 2).grad_fn
    assert product is not None
    common = ["metadata", "name", "next_functions", "register_hook", "register_prehook", "requires_grad"]
    hidden = ["_input_metadata", "_register_hook_dict", "_sequence_nr", "_set_sequence_nr"]
    saved = ["_raw_saved_other", "_raw_saved_self", "_saved_other", "_saved_self"]
    assert [name for name in dir(product) if not name.startswith("__")] == sorted([*common, *hidden, *saved])
    leaf = product.next_functions[0][0]
    assert [name for name in dir(leaf) if not name.startswith("_")] == [*common, "variable"]
    assert set(dir(object())) | {"__call__"} == {name for name in dir(product) if name.startswith("__")}


def test_a_context_lists_what_the_person_put_on_it() -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.factor = 2
            return x * ctx.factor

    listed = dir(Doubled.apply(torch.ones(2, requires_grad=True)).grad_fn)
    assert {"factor", "saved_tensors", "needs_input_grad", "next_functions"} <= set(listed)
    assert len(listed) == len(set(listed))
    assert not {"edges", "shapes", "sequence_nr"} & set(listed)
