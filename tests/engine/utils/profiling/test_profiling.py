"""A profiler names what ran as PyTorch does, and says what ran within what; its times are this engine's own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import engine.torch as torch
from engine.errors import NotHere
from engine.torch.autograd.profiler import profile, record_function
from engine.torch.autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg, _format_time


def names_of(measured: profile) -> list[str]:
    return [event.name for event in measured.function_events]


def test_operators_are_named_as_in_pytorch_and_annotations_hold_them() -> None:
    x = torch.randn(4, 4)
    with profile() as measured:
        assert torch.autograd._profiler_enabled()
        with record_function("outer"):
            y = x * 2 + 4
            with record_function("inner"):
                y = y - 1
        y /= 2
    assert not torch.autograd._profiler_enabled()
    assert names_of(measured) == ["outer", "aten::mul", "aten::add", "inner", "aten::sub", "aten::div_"]
    assert [c.name for c in measured.function_events[0].cpu_children] == ["aten::mul", "aten::add", "inner"]
    assert measured.function_events[3].cpu_parent is measured.function_events[0]
    assert all(event.time_range.end >= event.time_range.start for event in measured.function_events)


def test_composites_hold_their_operators_with_shapes() -> None:
    with profile(record_shapes=True) as measured:
        torch.nn.functional.linear(torch.ones(5, 4), torch.ones(3, 4), torch.ones(3))
    linear = next(event for event in measured.function_events if event.name == "aten::linear")
    assert linear.input_shapes == [[5, 4], [3, 4], [3]]
    assert [c.name for c in linear.cpu_children] == ["aten::t", "aten::addmm"]


def test_nodes_have_the_numbers_of_their_forward() -> None:
    x = torch.ones(3, requires_grad=True)
    with profile() as measured:
        (x * x).sum(dim=None).backward()
    by_name = {event.name: event for event in reversed(measured.function_events)}  # the first of each name
    for forward, node in (("aten::mul", "MulBackward0"), ("aten::sum", "SumBackward1")):
        around = by_name[f"autograd::engine::evaluate_function: {node}"]
        assert by_name[forward].sequence_nr == by_name[node].sequence_nr == around.sequence_nr >= 0
        assert (by_name[forward].fwd_thread, around.fwd_thread) == (0, by_name[forward].thread)
        assert by_name[node] in around.cpu_children
    assert by_name["torch::autograd::AccumulateGrad"].sequence_nr == -1
    assert "aten::expand" in [c.name for c in by_name["SumBackward1"].cpu_children]


def test_an_error_inside_ends_what_was_open() -> None:
    with pytest.raises(RuntimeError, match="must match"), profile() as measured:
        torch.ones(2) + torch.ones(3)
    assert names_of(measured) == ["aten::ones", "aten::ones", "aten::add"]
    assert sys.getprofile() is None


def test_children_are_those_that_lie_wholly_inside() -> None:
    times = ((1, 0, 1), (1, 1, 2), (0, 0, 2), (0, 1, 2), (0, 1, 3))
    events = EventList(FunctionEvent(n, "", thread, start, end) for n, (thread, start, end) in enumerate(times))
    events._populate_cpu_children()
    assert [[child.id for child in event.cpu_children] for event in events] == [[], [], [], [], [3]]


def test_averages_add_up() -> None:
    average = FunctionEventAvg()
    average.add(FunctionEvent(0, "foo", 0, 10, 15)).add(FunctionEvent(1, "foo", 0, 20, 30)).add(average)
    assert (average.key, average.count, average.cpu_time_total, average.self_cpu_time_total) == ("foo", 4, 30, 30)
    assert (average.cpu_time, average.device_time_total) == (7.5, 0)
    with pytest.raises(AssertionError, match="expected the key 'foo', got 'bar'"):
        average.add(FunctionEvent(2, "bar", 0, 0, 1))


def test_table_tells_shares_and_how_often() -> None:
    first = FunctionEvent(0, "aten::add", 1, 0.0, 3.0, input_shapes=[[2]])
    events = EventList([first, FunctionEvent(1, "aten::mul", 1, 4.0, 5.0), FunctionEvent(2, "aten::mul", 1, 6.0, 6.5)])
    lines = events.key_averages().table(sort_by="count").splitlines()
    assert lines[1].split()[:4] == ["Name", "Self", "CPU", "%"]
    assert lines[3].split() == ["aten::mul", "33.33%", "1.500us", "33.33%", "1.500us", "0.750us", "2"]
    assert lines[-1] == "Self CPU time total: 4.500us"
    assert "[[2]]" in events.key_averages(group_by_input_shapes=True).table(header="shapes")
    assert events.total_average().count == 3
    assert (_format_time(1500.0), _format_time(2.5e6)) == ("1.500ms", "2.500s")


def test_results_are_there_only_afterwards() -> None:
    measured = profile()
    with pytest.raises(RuntimeError, match="didn't finish running"):
        _ = measured.function_events
    with measured, pytest.raises(RuntimeError, match="already enabled"):
        profile().__enter__()
    with pytest.raises(RuntimeError, match="not reentrant"):
        measured.__enter__()
    with profile(enabled=False) as off:
        torch.ones(2)
    assert str(off) == "<unfinished torch.autograd.profile>"


def test_trace_can_be_written_down(tmp_path: Path) -> None:
    with profile() as measured:
        torch.ones(2).exp()
    measured.export_chrome_trace(tmp_path / "trace.json")
    written = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))
    assert [event["name"] for event in written] == ["aten::ones", "aten::exp"]


def test_steps_are_named_and_handed_over_when_complete() -> None:
    ready: list[tuple[int, list[str]]] = []
    x = torch.ones(3)
    schedule = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=2)
    with torch.profiler.profile(
        schedule=schedule, on_trace_ready=lambda p: ready.append((p.step_num, [e.name for e in p.events()]))
    ) as measured:
        for _ in range(9):
            x.mul(2)
            measured.step()
    steps = ["ProfilerStep*", "aten::mul", "ProfilerStep*", "aten::mul"]
    assert ready == [(4, steps), (8, steps)]


def test_what_other_tools_would_see_is_refused_by_name() -> None:
    with torch.profiler.profile() as measured:
        torch.ones(1)
    with pytest.raises(NotHere, match="keeps no stacks"):
        measured.export_stacks("path")
    with pytest.raises(NotHere, match="emit_nvtx is not here"):
        torch.autograd.profiler.emit_nvtx()
    with pytest.raises(AssertionError, match="Profiler must be initialized"):
        torch.profiler.profile().events()


def test_forked_functions_run_at_once() -> None:
    with profile() as measured:
        future = torch.jit.fork(lambda x: x * 2, torch.ones(2))
        assert torch.jit.wait(future).tolist() == [2.0, 2.0]
    assert names_of(measured) == ["aten::ones", "aten::mul"]


def test_schedule_tells_what_each_step_is_for() -> None:
    action = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    assert [action(step).name for step in range(5)] == ["NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE"]
