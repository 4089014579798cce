"""The call that raised, read off the frames of its traceback: which layer it was, and what it was given.

Nothing of the snippet's runs here: frames are dictionaries, and attributes are read from ``__dict__``.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

from engine.nn.calling import Calling
from engine.ops.core.overriding import asked_by_the_program
from engine.tensor import Tensor
from engine.trace.document import Given, Refused, Setting
from engine.trace.encodable import encodable, written
from engine.trace.names import fields, name_of_class
from engine.trace.registry import Registry

MOST = 12
"""Arguments, elements of a list and settings that are told."""
LONGEST = 60
"""Characters of a name or a plain value."""
DEEPEST = 2
"""Lists inside lists that are looked into: a list may hold itself."""
PLAIN = (int, float, bool, str, type(None))
ASKING = asked_by_the_program.__code__.co_filename
"""Whose frames stand around every function once a program has a tensor's subclass or a function mode: they are no call of its."""
CALLS = (Calling.__call__.__code__, Calling._call_with_hooks.__code__)


def refused_call(trace: TracebackType | None, filename: str, registry: Registry) -> Refused | None:
    """The engine's call at which the snippet stopped; None where the snippet itself, or Python, raised.

    Args:
        filename: what the snippet's frames bear.
    """
    frames: list[FrameType] = []
    while trace is not None:
        place = trace.tb_frame.f_code.co_filename
        if place == filename:
            frames = []
        elif place != ASKING:
            frames.append(trace.tb_frame)
        trace = trace.tb_next
    if not frames:
        return None
    layers = [frame for frame in frames if frame.f_code in CALLS]
    if not layers:
        return Refused(given=list(told(arguments_of(frames[0]), registry)))
    called = layers[-1].f_locals
    module = called["self"]
    behind = (frame.f_code for frame in frames[frames.index(layers[-1]) + 1 :] if frame.f_locals.get("self") is module)
    forward = next((code for code in behind if code.co_name == "forward"), None)
    names = forward.co_varnames[1 : forward.co_argcount] if forward is not None else ()
    # As it was called: forward() may have bound its parameters anew since.
    given = [(name_at(names, place), value) for place, value in enumerate(called["args"])] + [*called["kwargs"].items()]
    title = registry.module(module, type(module).__name__)
    return Refused(title, settings_of(module), list(told(given, registry)), list(parameters_of(module, registry)))


def parameters_of(module: Any, registry: Registry) -> Iterator[int]:
    """The rows of what a layer learns itself."""
    own = (fields(module) or {}).get("_parameters") or {}
    for parameter in [*own.values()][:MOST]:
        if isinstance(parameter, Tensor) and (row := registry.known_tensor(parameter)) is not None:
            yield row


def name_at(names: tuple[str, ...], place: int) -> str:
    """The parameter at a place; the place itself where ``*args`` takes it."""
    return names[place] if place < len(names) else str(place)


def arguments_of(frame: FrameType) -> list[tuple[str, Any]]:
    """The arguments of a call that is still running, by parameter; what ``*args`` took bears its place alone."""
    code, values = frame.f_code, frame.f_locals
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    found = [(name, values[name]) for name in names if name in values]
    rest = code.co_argcount + code.co_kwonlyargcount
    if code.co_flags & 0x04:  # *args
        several = values.get(code.co_varnames[rest], ())
        found += [(str(place), value) for place, value in enumerate(several)]
        rest += 1
    if code.co_flags & 0x08:  # **kwargs
        named = values.get(code.co_varnames[rest], {})
        found += [(name, value) for name, value in named.items() if type(name) is str]
    return found


def told(arguments: list[tuple[str, Any]], registry: Registry, depth: int = 0) -> Iterator[Given]:
    """What is said of each argument; of None, which most are left at, nothing."""
    for name, value in [argument for argument in arguments if argument[1] is not None][:MOST]:
        if depth < DEEPEST and type(value) in (list, tuple) and any(isinstance(part, Tensor) for part in value):
            parts = [(f"{name}[{place}]", part) for place, part in enumerate(value[:MOST])]
            if type(value) is tuple:
                yield Given(encodable(name[:LONGEST]), "tuple")
            yield from told(parts, registry, depth + 1)
        else:
            yield one(name, value, registry)


def one(name: str, value: Any, registry: Registry) -> Given:
    """A single argument."""
    name = encodable(name[:LONGEST])
    if isinstance(value, Tensor):
        return Given(name, "Tensor", registry.known_tensor(value))
    module, kind = name_of_class(type(value))
    shown = kind if module in ("", "builtins", "__main__") or module.startswith("engine.") else f"{module}.{kind}"
    return Given(name, encodable(shown[:LONGEST]), None, written(value)[:LONGEST] if is_plain(value) else "")


def is_plain(value: Any) -> bool:
    """Whether Python's own types are all that is in it."""
    if type(value) is tuple:
        return len(value) <= MOST and all(type(part) in PLAIN for part in value)
    return type(value) in PLAIN


def settings_of(module: Any) -> list[Setting]:
    """A layer's plain attributes of the kinds that shapes follow from."""
    own = fields(module) or {}
    found = [
        Setting(encodable(name[:LONGEST]), written(value)[:LONGEST])
        for name, value in own.items()
        if type(name) is str
        and not name.startswith("_")
        and name != "training"
        and type(value) in (int, bool, tuple)
        and is_plain(value)
    ]
    return found[:MOST]
