"""Stories about dispatch modes: what they are shown of forward, of new tensors, of writes, and of a backward pass."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def _telling(torch: Any, say: Any, about: Callable[[Any, Any, Any], tuple[Any, ...]]) -> Any:
    """A mode that says ``about(operator, arguments, keywords)`` of everything it is shown."""
    base = importlib.import_module(f"{torch.__package__}.utils._python_dispatch").TorchDispatchMode

    class Telling(base):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            say(*about(func, args, kwargs or {}))
            return func(*args, **(kwargs or {}))

    return Telling()


def a_mode_sees_a_whole_training_step_and_which_node_is_at_work(torch: Any, say: Any) -> None:
    def about(func: Any, args: Any, kwargs: Any) -> tuple[Any, ...]:
        node = torch._C._current_autograd_node()
        return str(func), "in", type(node).__name__ if node else "forward"

    with _telling(torch, say, about):
        a = torch.rand(10, requires_grad=True)
        b = a.mul(2).div(3).sum()
        say("backward")
        b.backward()
    say(a.grad)


def a_second_pass_adds_in_place(torch: Any, say: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    with _telling(torch, say, lambda func, args, kwargs: (str(func), list(args[1:]))):
        (x * 2).sum().backward()
        (x * 2).sum().backward()
    say(x.grad)


def new_tensors_are_shown_with_their_place(torch: Any, say: Any) -> None:
    with _telling(torch, say, lambda func, args, kwargs: (str(func), list(args), dict(kwargs))):
        torch.zeros(2)
        torch.ones((2, 1), dtype=torch.float64)
        torch.full((2,), 3.0)
        torch.arange(3)
        torch.eye(2)
        torch.linspace(0, 1, 3)
        torch.zeros_like(torch.tensor([1.0, 2.0]))
        torch.empty(1)
    with _telling(torch, say, lambda func, args, kwargs: (str(func),)):
        say(
            torch.ones(2, requires_grad=True),
            torch.randn(1).shape,
            torch.randint(3, (2,)).dtype,
            torch.randperm(2).shape,
        )


def sizes_are_lists_and_options_keywords(torch: Any, say: Any) -> None:
    x, w = torch.ones(3, requires_grad=True), torch.ones(2, 3)
    with _telling(torch, say, lambda func, args, kwargs: (str(func), list(args[1:]), dict(kwargs))):
        say(
            x.expand(2, 3).shape,
            x.view(3, 1).shape,
            w.permute(1, 0).shape,
            x.repeat(2).shape,
            w.sum(0),
            x.double().dtype,
        )
        y = x.clone()
        y.add_(1, alpha=2)
        y.sub_(1)
        say(y)


def writes_and_numbers_taken_out_are_shown(torch: Any, say: Any) -> None:
    x = torch.ones(3)
    with _telling(torch, say, lambda func, args, kwargs: (str(func), list(args[1:]))):
        x.fill_(2.0)
        x.copy_(x * 3)
        x.zero_()
        say(x.sum().item(), x.detach())


def results_that_a_node_keeps_are_detached(torch: Any, say: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    with _telling(torch, say, lambda func, args, kwargs: (str(func),)):
        for function in (torch.exp, torch.tanh, torch.relu, torch.sin, torch.sqrt):
            function(x)
        with torch.no_grad():
            x.exp()


def recorded_derivatives_are_shown_once_as_they_are_recorded(torch: Any, say: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    with _telling(torch, say, lambda func, args, kwargs: (str(func),)):
        (gradient,) = torch.autograd.grad((x * x).sum(), x, create_graph=True)
        gradient.sum().backward()
    say(x.grad)


def a_mode_may_answer_in_place_of_the_operator(torch: Any, say: Any) -> None:
    base = importlib.import_module(f"{torch.__package__}.utils._python_dispatch").TorchDispatchMode

    class Twice(base):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            made = func(*args, **(kwargs or {}))
            return made + made if func.__name__ == "sin.default" else made

    x = torch.ones(2, requires_grad=True)
    with Twice():
        y = x.sin()
    y.sum().backward()
    say(y, x.grad)


def a_checkpoint_may_run_under_modes(torch: Any, say: Any) -> None:
    import contextlib

    module = importlib.import_module(f"{torch.__package__}.utils.checkpoint")
    x = torch.tensor(1.0, requires_grad=True)
    for again in (False, True):
        mode = _telling(torch, say, lambda func, args, kwargs: (func.__name__,))
        contexts = (contextlib.nullcontext(), mode) if again else (mode, contextlib.nullcontext())
        module.checkpoint(lambda x: x.exp(), x, use_reentrant=False, context_fn=lambda c=contexts: c).backward()
    say(x.grad)
