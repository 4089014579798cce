"""Stories about anomaly detection and checkpoints."""

from __future__ import annotations

from typing import Any


def _nan(torch: Any) -> Any:
    class MyFunc(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, fail: Any = True) -> Any:
            ctx.fail = fail
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            g = g.clone()
            if ctx.fail:
                g[0] = float("nan")
            return g, None

    return MyFunc


def anomaly_finds_nan(torch: Any, say: Any) -> None:
    f = _nan(torch)
    x = torch.ones(2, requires_grad=True)
    f.apply(x).sum().backward()
    say(x.grad)
    with torch.autograd.detect_anomaly():
        say(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
        out = f.apply(x)
        say.error(lambda: out.sum().backward())
        out = f.apply(x, False)
        out.sum().backward()
    say(torch.is_anomaly_enabled())


def anomaly_without_nan_check(torch: Any, say: Any) -> None:
    f = _nan(torch)
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.detect_anomaly(check_nan=False):
        say(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
        f.apply(x).sum().backward()
    say(x.grad)


def anomaly_nests(torch: Any, say: Any) -> None:
    with torch.autograd.detect_anomaly(check_nan=False):
        say(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
        with torch.autograd.detect_anomaly(check_nan=True):
            say(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
        say(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
        with torch.autograd.set_detect_anomaly(False):
            say(torch.is_anomaly_enabled())
        say(torch.is_anomaly_enabled())
    torch.autograd.set_detect_anomaly(True)
    say(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    torch.autograd.set_detect_anomaly(False)
    say(torch.is_anomaly_enabled())


def anomaly_names_builtin_operators(torch: Any, say: Any) -> None:
    with torch.autograd.set_detect_anomaly(True):
        x = torch.tensor([0.0], requires_grad=True)
        say.error(lambda: (x.sqrt() * 0).sum().backward())
        y = torch.tensor([-1.0], requires_grad=True)
        say.error(lambda: y.sqrt().sum().backward())
        z = torch.tensor([0.0], requires_grad=True)
        say.error(lambda: (z / z).sum().backward())


def anomaly_explains_other_errors(torch: Any, say: Any) -> None:
    with torch.autograd.set_detect_anomaly(True):
        a = torch.ones(2, requires_grad=True)
        b = a * 2
        c = b * b
        b.add_(1)
        say.error(lambda: c.sum().backward())


def anomaly_when_only_backward_runs_in_it(torch: Any, say: Any) -> None:
    f = _nan(torch)
    x = torch.ones(2, requires_grad=True)
    out = f.apply(x).sum()
    with torch.autograd.set_detect_anomaly(True):
        say.error(lambda: out.backward())


def anomaly_in_double_backward_names_the_parent(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return _nan(torch).apply(2 * x * g)

    x = torch.ones(2, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        (g,) = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
        say.error(lambda: g.sum().backward())


def anomaly_warning_shows_the_line(torch: Any, say: Any) -> None:
    import warnings

    f = _nan(torch)
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = f.apply(x)
        say.error(lambda: y.sum().backward())
    text = str(caught[0].message)
    say(len(caught), caught[0].category.__name__, "y = f.apply(x)" in text, text.split("\n", maxsplit=1)[0])


def _module(torch: Any) -> Any:
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))


def checkpoints_recompute(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    for reentrant in (True, False):
        calls: list[int] = []

        def f(x: Any) -> Any:
            calls.append(1)
            return (x * x).exp() * 2

        x = torch.tensor([0.5, 1.0], requires_grad=True)
        y = checkpoint(f, x, use_reentrant=reentrant)
        say(len(calls), y)
        y.sum().backward()
        say(len(calls), x.grad)


def checkpoint_of_modules_and_arguments(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    for reentrant in (True, False):
        m = _module(torch)
        x = torch.ones(2, 2, requires_grad=True)
        checkpoint(m, x, use_reentrant=reentrant).sum().backward()
        say(x.grad, m[0].bias.grad)
        out = checkpoint(lambda a, k, b: (a * k, b * 2, None, "x"), x, 3, torch.ones(1), use_reentrant=reentrant)
        say(out)
        out[0].sum().backward()
    say(checkpoint(lambda a, k=1: a * k, x, k=5, use_reentrant=False))
    say.error(lambda: checkpoint(lambda a, k=1: a * k, x, k=5, use_reentrant=True))


def checkpoint_without_choosing(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    x = torch.ones(2, requires_grad=True)
    say.error(lambda: checkpoint(lambda a: a * 2, x))


def checkpoint_without_gradients(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    x = torch.ones(2)
    say(checkpoint(lambda a: a * 2, x, use_reentrant=True).requires_grad)
    say(checkpoint(lambda a: a * 2, x, use_reentrant=False).requires_grad)
    w = torch.ones(2, requires_grad=True)
    out = checkpoint(lambda a: a * w, x, use_reentrant=False)
    out.sum().backward()
    say(w.grad)
    say(checkpoint(lambda a: a * w, x, use_reentrant=True).requires_grad)
    with torch.no_grad():
        say(checkpoint(lambda a: a * w, x, use_reentrant=False).requires_grad)


def reentrant_checkpoint_refuses_grad(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    x = torch.ones(2, requires_grad=True)
    y = checkpoint(lambda a: a * a, x, use_reentrant=True)
    say.error(lambda: torch.autograd.grad(y.sum(), x))
    y = checkpoint(lambda a: a * a, x, use_reentrant=False)
    say(torch.autograd.grad(y.sum(), x))
    y = checkpoint(lambda a: a.detach(), x, use_reentrant=True)
    say.error(lambda: y.sum().backward())
    y = checkpoint(lambda a: a * a, x, use_reentrant=True)
    say.error(lambda: y.sum().backward(inputs=[x]))


def checkpoint_random_numbers(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    for reentrant in (True, False):
        torch.manual_seed(3)
        x = torch.ones(6, requires_grad=True)
        y = checkpoint(lambda a: torch.nn.functional.dropout(a, 0.5), x, use_reentrant=reentrant)
        after = torch.rand(1)
        y.sum().backward()
        say(y, x.grad, after, torch.rand(1))
        y = checkpoint(
            lambda a: torch.nn.functional.dropout(a * a, 0.5), x, use_reentrant=reentrant, preserve_rng_state=False
        )
        y.sum().backward()
        say(torch.rand(1))


def checkpoints_nest(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    order: list[str] = []

    def inner(x: Any) -> Any:
        order.append("inner")
        return x.sin()

    def outer(x: Any) -> Any:
        order.append("outer")
        return checkpoint(inner, x.exp(), use_reentrant=False).cos()

    x = torch.tensor([0.5], requires_grad=True)
    y = checkpoint(outer, x, use_reentrant=False)
    y.sum().backward()
    say(order, x.grad)


def checkpoint_stops_early(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    set_checkpoint_early_stop = torch.utils.checkpoint.set_checkpoint_early_stop

    def f(x: Any) -> Any:
        x = x.exp()
        x = x.sin()
        order.append("end")
        return x + 1

    x = torch.tensor([0.5], requires_grad=True)
    for early in (True, False):
        order: list[str] = []
        with set_checkpoint_early_stop(early):
            y = checkpoint(f, x, use_reentrant=False)
        y.sum().backward()
        say(order)
    order = []
    checkpoint(f, x, use_reentrant=False, early_stop=False).sum().backward()
    say(order)


def checkpoint_checks_determinism(torch: Any, say: Any) -> None:
    error_type = torch.utils.checkpoint.CheckpointError
    checkpoint = torch.utils.checkpoint.checkpoint
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    count = 0

    def shapes(a: Any) -> Any:
        nonlocal count
        count += 1
        return (a * a) if count % 2 else (a[:1] * a[:1])

    y = checkpoint(shapes, x, use_reentrant=False)
    say.error(lambda: y.sum().backward())

    def fewer(a: Any) -> Any:
        nonlocal count
        count += 1
        return (a * a).exp() if count % 2 else a * 2

    count = 0
    y = checkpoint(fewer, x, use_reentrant=False)
    say.error(lambda: y.sum().backward())

    def more(a: Any) -> Any:
        nonlocal count
        count += 1
        return a.exp() if count % 2 else (a * a).exp()

    count = 0
    y = checkpoint(more, x, use_reentrant=False)
    say.error(lambda: y.sum().backward())
    count = 0
    y = checkpoint(more, x, use_reentrant=False, early_stop=False)
    say.error(lambda: y.sum().backward())
    count = 0
    y = checkpoint(shapes, x, use_reentrant=False, determinism_check="none")
    say.error(lambda: y.sum().backward())
    say.error(lambda: checkpoint(shapes, x, use_reentrant=False, determinism_check="maybe"))
    say(issubclass(error_type, RuntimeError))


def checkpoint_and_higher_order(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    y = checkpoint(lambda a: (a**3).sum(), x, use_reentrant=False)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    say(g.requires_grad, g)
    (h,) = torch.autograd.grad(g.sum(), x)
    say(h)


def checkpoint_retained_and_twice(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    calls: list[int] = []

    def f(a: Any) -> Any:
        calls.append(1)
        return (a * a).exp()

    x = torch.tensor([0.5], requires_grad=True)
    y = checkpoint(f, x, use_reentrant=False)
    y.sum().backward(retain_graph=True)
    say(len(calls))
    y.sum().backward(retain_graph=True)
    say(len(calls), x.grad)
    y.sum().backward()
    say.error(lambda: y.sum().backward())


def checkpoint_saved_access(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    x = torch.tensor([0.5], requires_grad=True)
    y = checkpoint(lambda a: a.exp(), x, use_reentrant=False)
    say(y.grad_fn._saved_result)
    say.error(lambda: y.grad_fn._saved_result)
    y.sum().backward()


def checkpoint_with_contexts(torch: Any, say: Any) -> None:
    import contextlib

    checkpoint = torch.utils.checkpoint.checkpoint

    @contextlib.contextmanager
    def told(name: str) -> Any:
        say("enter", name)
        yield
        say("leave", name)

    x = torch.tensor([0.5], requires_grad=True)
    y = checkpoint(lambda a: a.exp(), x, use_reentrant=False, context_fn=lambda: (told("forward"), told("recompute")))
    y.sum().backward()
    say.error(lambda: checkpoint(lambda a: a, x, use_reentrant=True, context_fn=lambda: (told("a"), told("b"))))


def checkpoint_in_sequence(torch: Any, say: Any) -> None:
    checkpoint_sequential = torch.utils.checkpoint.checkpoint_sequential
    for reentrant in (True, False):
        m = _module(torch)
        x = torch.ones(1, 2, requires_grad=True)
        y = checkpoint_sequential(m, 2, x, use_reentrant=reentrant)
        y.sum().backward()
        say(y, x.grad)
    f = checkpoint_sequential(
        [torch.sin, torch.cos, torch.exp], 3, torch.ones(1, requires_grad=True), use_reentrant=False
    )
    say(f)
    say.error(lambda: checkpoint_sequential(m, 5, x, use_reentrant=False).shape)


def where_warnings_are_errors_the_failure_is_still_the_failure(torch: Any, say: Any) -> None:
    import contextlib
    import io
    import warnings

    heard = io.StringIO()
    a = torch.ones(2, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings():
        warnings.simplefilter("error")
        b = a + 1
        c = b**2
        b += 1
        with contextlib.redirect_stderr(heard):
            say.error(lambda: c.sum().backward())
    say("Error detected in PowBackward0" in heard.getvalue())


def the_switch_takes_a_bool(torch: Any, say: Any) -> None:
    say.error(lambda: torch.autograd.set_detect_anomaly(1))
    say(torch.is_anomaly_enabled())
