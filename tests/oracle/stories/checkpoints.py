"""Stories about ``torch.utils.checkpoint`` without re-entry: what the second run sees, and what is said when it goes otherwise."""

from __future__ import annotations

import contextlib
import gc
import importlib
import weakref
from collections.abc import Callable
from typing import Any


def _module(torch: Any) -> Any:
    return importlib.import_module(f"{torch.__package__}.utils.checkpoint")


def _changing(*runs: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that does something else each time it is called."""
    waiting = list(runs)
    return lambda x: (waiting.pop(0) if len(waiting) > 1 else waiting[0])(x)


def a_second_run_that_goes_otherwise(torch: Any, say: Any) -> None:
    module = _module(torch)
    a = torch.ones(1, requires_grad=True)

    def short(x: Any) -> Any:
        return x.sin().exp()

    def long(x: Any) -> Any:
        return x.sin().exp().sin()

    def wide(x: Any) -> Any:
        return x.sin() * torch.tensor([1.0, 2.0])

    def run(first: Any, second: Any, **options: Any) -> None:
        module.checkpoint(_changing(first, second), a, use_reentrant=False, **options).sum().backward()

    say.error(lambda: run(long, short))
    run(short, long)
    say.error(lambda: run(short, long, early_stop=False))
    with module.set_checkpoint_early_stop(False):
        say.error(lambda: run(short, long))
    say.error(lambda: run(short, wide))
    say.error(lambda: run(short, short, determinism_check="thorough"))


def debug_explains_how_two_runs_differ(torch: Any, say: Any) -> None:
    module = _module(torch)
    a = torch.ones(1, requires_grad=True)

    def message(debug: bool) -> str:
        function = _changing(lambda x: x.sin().exp(), lambda x: x.sin() * torch.tensor([1.0, 2.0]))
        try:
            module.checkpoint(function, a, use_reentrant=False, debug=debug).sum().backward()
        except module.CheckpointError as error:
            text = str(error)
            return f"{text.split()[:2]} {'because you passed `debug=True` to checkpoint' in text} {type(error.__cause__).__name__}"
        return "no error"

    say(message(False))
    say(message(True))
    with module.set_checkpoint_debug_enabled(True):
        say(message(False))
    with module.set_checkpoint_debug_enabled(False):
        say(message(True))
    nothing = contextlib.nullcontext
    say.error(
        lambda: module.checkpoint(torch.sin, a, use_reentrant=False, debug=True, context_fn=lambda: (nothing(),) * 2)
    )


def saved_tensors_are_given_out_once_per_pass(torch: Any, say: Any) -> None:
    module = _module(torch)

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            x, y = ctx.saved_tensors
            say.error(lambda: ctx.saved_tensors)
            return gradient * y, gradient * x

    x, y = torch.full((1,), 2.0, requires_grad=True), torch.full((1,), 3.0, requires_grad=True)
    module.checkpoint(lambda x, y: Product.apply(x * 1, y * 1), x, y, use_reentrant=False).backward()
    say(x.grad, y.grad)


def looking_at_what_was_not_kept_runs_again(torch: Any, say: Any) -> None:
    runs = []

    def function(x: Any) -> Any:
        runs.append(1)
        return (x * x).exp()

    y = _module(torch).checkpoint(function, torch.ones(2, requires_grad=True), use_reentrant=False)
    say(y.grad_fn._saved_result, len(runs))
    say(y.grad_fn._saved_result, len(runs))
    y.sum().backward()
    say(len(runs))


def what_needs_no_gradient_is_the_very_tensor(torch: Any, say: Any) -> None:
    seen = []

    class Keep(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(y)
            return x * 1

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            seen.extend(ctx.saved_tensors)
            return gradient, None

    x, y = torch.ones(1, requires_grad=True), torch.ones(1)
    _module(torch).checkpoint(Keep.apply, x, y, use_reentrant=False).backward()
    say(seen[0] is y)


def autocast_holds_in_the_second_run_too(torch: Any, say: Any) -> None:
    def function(x: Any) -> Any:
        y = x @ x
        say(y.dtype)
        return y @ x

    for enabled in (True, False):
        x = torch.ones(2, 2, requires_grad=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
            loss = _module(torch).checkpoint(function, x, use_reentrant=False).sum()
        loss.backward()
        say(x.grad)


def a_group_of_passes_shares_second_runs(torch: Any, say: Any) -> None:
    module = _module(torch)
    for grouped in (True, False):
        runs: list[int] = []

        def function(x: Any, runs: list[int] = runs) -> Any:
            runs.append(1)
            y = x.sin().cos()
            return y, y.sin().cos()

        x = torch.ones(2, requires_grad=True)
        y, z = module.checkpoint(function, x, use_reentrant=False)
        with module.GraphExecGroup() if grouped else contextlib.nullcontext():
            (gradient,) = torch.autograd.grad(z.sum(), y)
            torch.autograd.grad(y, x, gradient)
        say(grouped, len(runs))
    out = module.checkpoint(lambda x: x.sin().cos(), x, use_reentrant=False).sum()
    with module.GraphExecGroup() as group:
        say.error(group.__enter__)
        out.backward(retain_graph=True)
        say.error(out.backward)


def stopping_early_leaves_nothing_behind(torch: Any, say: Any) -> None:
    made = []

    class Clone(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.clone()
            ctx.save_for_backward(y)
            made.append(weakref.ref(y))
            return y

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * ctx.saved_tensors[0]

    def run() -> None:
        x = torch.ones(2, requires_grad=True)
        _module(torch).checkpoint(lambda x: Clone.apply(x), x, use_reentrant=False).sum().backward()

    gc.disable()
    try:
        run()
        say([reference() is None for reference in made])
    finally:
        gc.enable()


def sequences_take_no_other_arguments(torch: Any, say: Any) -> None:
    module = _module(torch)
    x = torch.ones(1, 2, requires_grad=True)
    layers = [torch.nn.ReLU(), torch.nn.Tanh()]
    say(module.checkpoint_sequential(layers, 2, x, use_reentrant=False, preserve_rng_state=False))
    say.error(lambda: module.checkpoint_sequential(layers, 2, x, use_reentrant=False, debug=True))
    say.error(lambda: module.checkpoint_sequential(layers[0], 2, x, use_reentrant=False))


def a_different_second_run_is_told_with_its_remedies(torch: Any, say: Any) -> None:
    runs = []

    def function(x: Any) -> Any:
        runs.append(x)
        return x.sin().exp().sin() if len(runs) == 1 else x.sin().exp()

    try:
        _module(torch).checkpoint(function, torch.ones(1, requires_grad=True), use_reentrant=False).backward()
    except RuntimeError as error:
        words = " ".join(str(error).split())
        for remedy in (
            "debug=True",
            "torch._dynamo.mark_dynamic() to explicitly mark varying dimensions",
            "_set_lru_cache(False)",
        ):
            say(remedy in words)
