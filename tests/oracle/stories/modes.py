"""Stories about gradient modes and inference mode."""

from __future__ import annotations

from typing import Any


def nested_modes(torch: Any, say: Any) -> None:
    with torch.no_grad():
        say(torch.is_grad_enabled())
        with torch.enable_grad():
            say(torch.is_grad_enabled())
            with torch.set_grad_enabled(False):
                say(torch.is_grad_enabled())
            say(torch.is_grad_enabled())
        say(torch.is_grad_enabled())
    say(torch.is_grad_enabled())


def modes_restore_after_errors(torch: Any, say: Any) -> None:
    for mode in (torch.no_grad, torch.inference_mode):
        try:
            with mode():
                int("x")
        except ValueError:
            say(torch.is_grad_enabled(), torch.is_inference_mode_enabled())


def modes_as_decorators(torch: Any, say: Any) -> None:
    @torch.no_grad()
    def a() -> bool:
        return torch.is_grad_enabled()

    @torch.no_grad
    def b() -> bool:
        """Doc."""
        return torch.is_grad_enabled()

    @torch.enable_grad()
    def c() -> bool:
        return torch.is_grad_enabled()

    @torch.set_grad_enabled(False)
    def d() -> bool:
        return torch.is_grad_enabled()

    @torch.inference_mode()
    def e() -> Any:
        return torch.is_inference_mode_enabled(), torch.ones(1).is_inference()

    say(a(), b(), d(), e(), torch.is_grad_enabled(), b.__name__, b.__doc__)
    with torch.no_grad():
        say(c(), torch.is_grad_enabled())

    @torch.set_grad_enabled(True)
    def f() -> bool:
        return torch.is_grad_enabled()

    with torch.no_grad():
        say(f(), torch.is_grad_enabled())


def set_grad_enabled_as_function(torch: Any, say: Any) -> None:
    torch.set_grad_enabled(False)
    say(torch.is_grad_enabled())
    scope = torch.set_grad_enabled(True)
    say(torch.is_grad_enabled(), repr(scope).split(" at ")[0])
    with scope:
        say(torch.is_grad_enabled())
    say(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    say.error(lambda: torch.set_grad_enabled("x"))
    say.error(lambda: torch.set_grad_enabled())


def generators_keep_their_mode(torch: Any, say: Any) -> None:
    @torch.no_grad()
    def numbers() -> Any:
        for i in range(2):
            say("inside", torch.is_grad_enabled())
            got = yield i
            say("got", got, torch.is_grad_enabled())
        return "done"

    g = numbers()
    say(next(g), torch.is_grad_enabled())
    say(g.send("x"), torch.is_grad_enabled())
    try:
        g.send("y")
    except StopIteration as stop:
        say(stop.value)

    @torch.enable_grad()
    def catching() -> Any:
        try:
            yield torch.is_grad_enabled()
        except ValueError:
            say("caught", torch.is_grad_enabled())
            yield "recovered"
        finally:
            say("closing", torch.is_grad_enabled())

    with torch.no_grad():
        g = catching()
        say(next(g))
        say(g.throw(ValueError()))
        g.close()
        say(torch.is_grad_enabled())


def async_and_classes(torch: Any, say: Any) -> None:
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")

        @torch.no_grad()
        class Thing:
            def __init__(self) -> None:
                self.seen = torch.is_grad_enabled()

            def ask(self) -> bool:
                return torch.is_grad_enabled()

        say(Thing().seen, Thing().ask())
        say([f"{w.category.__name__}: {str(w.message)[:40]}" for w in caught])


def results_by_mode(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = x * 2
        z = torch.ones(2, requires_grad=True)
        v = x.view(2)
        w = x.detach()
        p = torch.nn.Parameter(torch.ones(1))
    say(y, y.requires_grad, z.requires_grad, v.requires_grad, w.requires_grad, p.requires_grad, v.is_leaf, v._is_view())
    with torch.no_grad():
        y.requires_grad_()
    say(y)


def views_made_without_recording(torch: Any, say: Any) -> None:
    x = torch.ones(2, 2, requires_grad=True)
    with torch.no_grad():
        v = x[0]
        v.mul_(2)
    say(x, x._version, v.requires_grad)
    say.error(lambda: v.mul_(2))
    inner = x * 1
    with torch.no_grad():
        u = inner[0]
    say(u.requires_grad, u.grad_fn)
    say.error(lambda: u.mul_(2))
    inner.mul_(3)
    say.error(lambda: u.grad_fn)
    say.error(lambda: u.requires_grad_() is u)


def inference_tensors(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        a = torch.ones(2)
        b = x * 2
        v = x[0]
        c = x.clone()
        say(a.is_inference(), b.is_inference(), v.is_inference(), c.is_inference(), x.is_inference())
        say(b.requires_grad, v.requires_grad, v._is_view(), b.is_leaf)
        a.add_(1)
        x.add_(1)
        say(x._version)
        with torch.inference_mode(False):
            say(
                torch.is_inference_mode_enabled(),
                torch.is_grad_enabled(),
                torch.ones(1).is_inference(),
                (x * 2).requires_grad,
            )
        with torch.enable_grad():
            say((x * 2).requires_grad, torch.is_grad_enabled())
    say.error(lambda: a.add_(1))
    say.error(lambda: a.requires_grad_())
    say.error(lambda: x * a)
    say.error(lambda: a._version)
    say((x + a).requires_grad, (a * 2).is_inference(), a[0].is_inference(), a.view(2).is_inference())
    say.error(lambda: torch.add(x, x, out=a))
    say.error(lambda: a[0].add_(1))
    say.error(lambda: v.add_(1))
    say(a.clone().requires_grad_())
    say.error(lambda: b.backward())


def inference_mode_and_normal_tensors(torch: Any, say: Any) -> None:
    n = torch.ones(2)
    with torch.inference_mode():
        view = n.view(2)
        n.mul_(2)
        out = n.add(1)
    say(view.is_inference(), n._version, out.is_inference(), n)
    say.error(lambda: view.mul_(2))
    n.requires_grad_()
    say.error(lambda: view.mul_(2) is view)
    with torch.no_grad():
        say.error(lambda: view.mul_(2) is view)
    say.error(lambda: torch.inference_mode(1).__enter__())


def detaching(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    d = y.detach()
    say(d.requires_grad, d._is_view(), d._base, d.grad_fn, d.is_leaf, d._version)
    d.add_(1)
    say(y, y._version, d._version)
    y.detach_()
    say(y.requires_grad, y.is_leaf, y.grad_fn)
    say.error(lambda: x[0].detach_())
    x.detach_()
    say(x.requires_grad)
    plain = torch.ones(1)
    say(plain.detach() is plain)


def detach_underscore_while_saved(torch: Any, say: Any) -> None:
    x = torch.tensor([2.0], requires_grad=True)
    y = x * 3
    z = y * y
    y.detach_()
    say.error(lambda: z.backward())
    y = x.exp()
    z = y * 2
    y.detach_()
    z.backward()
    say(x.grad)


def requires_grad_rules(torch: Any, say: Any) -> None:
    x = torch.ones(2)
    say(x.requires_grad_() is x, x.requires_grad_(False).requires_grad)
    say.error(lambda: torch.ones(2, dtype=torch.int64).requires_grad_())
    say.error(lambda: torch.ones(2, dtype=torch.int64, requires_grad=True))
    say.error(lambda: torch.tensor([1, 2], requires_grad=True))
    say.error(lambda: torch.tensor([True]).requires_grad_())
    x.requires_grad_()
    y = x * 2
    say.error(lambda: y.requires_grad_(False))
    say(y.requires_grad_(True) is y)
    try:
        y.requires_grad = False
    except RuntimeError as error:
        say(str(error)[:60])
    try:
        y.requires_grad = True
        say("set")
    except RuntimeError as error:
        say(str(error)[:60])
    say.error(lambda: setattr(torch.ones(1), "requires_grad", 5))
    v = torch.ones(4).view(2, 2)
    v.requires_grad_()
    say(v, v.is_leaf, v._is_view(), v._base.requires_grad)
    w = torch.ones(4)
    u = w[:2]
    w.requires_grad_()
    say(u.requires_grad, u.is_leaf)
    say.error(lambda: u.mul_(2))


def data_and_its_assignment(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    x.data.mul_(10)
    say(x, x._version)
    y.sum().backward()
    say(x.grad)
    x.data = torch.ones(3)
    say(x, x.grad)
    say.error(lambda: setattr(x, "data", 5))
    say.error(lambda: setattr(x, "data", torch.ones(3, dtype=torch.int64)))
    say.error(lambda: setattr(x, "data", torch.ones(3, dtype=torch.float64)))
    say(x)
    x.grad = None
    (x * 2).sum().backward()
    say(x.grad)
    x.set_(torch.ones(4)) if False else None
    say(x.data.requires_grad, x.data is x, x.data.data_ptr() == x.data_ptr())
    z = torch.zeros(2, requires_grad=True) * 1
    z.data = torch.ones(5)
    say(z.shape)
    say.error(z.sum().backward)


def the_old_variable(torch: Any, say: Any) -> None:
    v = torch.autograd.Variable(torch.ones(2), requires_grad=True)
    say(v, isinstance(v, torch.autograd.Variable), isinstance(torch.ones(1), torch.autograd.Variable), type(v).__name__)
    w = torch.autograd.Variable(torch.ones(2))
    say(w.requires_grad)
    (v * w).sum().backward()
    say(v.grad, v.data)


def grad_attribute_rules(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    say.error(lambda: setattr(x, "grad", 5))
    say.error(lambda: setattr(x, "grad", torch.ones(3)))
    say.error(lambda: setattr(x, "grad", torch.ones(2, dtype=torch.float64)))
    say.error(lambda: setattr(x, "grad", x))
    x.grad = torch.ones(2)
    del x.grad
    say(x.grad)
    y = x * 2
    say(y.grad)
    y.retain_grad()
    say(y.grad)
    plain = torch.ones(2)
    plain.grad = torch.ones(2)
    say(plain.grad)
