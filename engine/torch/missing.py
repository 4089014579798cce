"""What happens when a name is asked for that is not here: a name PyTorch has is told from one that never was.

``known_names.txt`` holds PyTorch's public names, a line for each place, those of tensors first (recorded by
``tests/oracle/known_names.py``), `engine.torch.addresses` its modules.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from engine.autograd.gradient import HoldsGradient
from engine.errors import NotHere, explained
from engine.ops.core.catalogue import declare_late_families
from engine.tensor import Tensor
from engine.torch.addresses import PACKAGE, known_modules, module_at

KNOWN_NAMES = os.path.join(os.path.dirname(__file__), "known_names.txt")
ELSEWHERE = {
    "ao", "compiler", "cpp_extension", "datapipes", "distributed", "export", "fx", "hipify", "hub",
    "intrinsic", "jit", "multiprocessing", "onnx", "package", "parallel", "profiler", "qat", "quantizable",
    "quantization", "quantized", "tensorboard",
}  # fmt: skip
"""Parts of PyTorch that are about other machines, files or compilers, and have no place in a traced run."""

INTERNALS = frozenset({"_conj", "_lazy_clone", "_make_wrapper_subclass", "_neg_view", "_use_count"})
"""Private names of tensors that PyTorch's own tests ask for: about its C++ side, which is not here."""


@functools.cache
def known() -> dict[str, frozenset[str]]:
    """PyTorch's public names by place: a module's name, ``Tensor`` or ``Module``."""
    with open(KNOWN_NAMES, encoding="utf-8") as file:
        return dict(names_of_a_place(line) for line in file)


def names_of_a_place(line: str) -> tuple[str, frozenset[str]]:
    """``place: name name …``."""
    place, _, names = line.partition(": ")
    return place, frozenset(names.split())


def names_of(place: str) -> frozenset[str]:
    """PyTorch's public names of one place; the file is read no further than to its line, since importing torch should be quick."""
    with open(KNOWN_NAMES, encoding="utf-8") as file:
        return next(names for found, names in map(names_of_a_place, file) if found == place)


def as_spelled(place: str, table: dict[str, Any]) -> dict[str, Any]:
    """What of a table of names PyTorch has under ``place``: a write in place is often a method only."""
    names = names_of(place)
    return {name: table[name] for name in table if name in names or (name[0] == "_" and name[:2] != "__")}


def missing(place: str, name: str, here: Iterable[str]) -> AttributeError | ImportError:
    """The error for an unknown attribute ``name`` of ``place`` (a module's name, ``Tensor`` or ``Module``).

    ``from place import name`` gets an ImportError: Python would make one itself, but without a word of why.
    """
    internal = place == "Tensor" and name in INTERNALS
    error: type[AttributeError | ImportError] = AttributeError
    if place == "Tensor":
        phrase = f"'Tensor' object has no attribute '{name}'"
    elif asked_by_import():
        error, phrase = ImportError, f"cannot import name '{name}' from '{place}'"
    else:
        phrase = f"module '{place}' has no attribute '{name}'"
    if name.startswith("_") and not internal:
        return error(phrase)
    import difflib  # here, since importing torch should be quick

    is_module = f"{place}.{name}" in known_modules()
    offered = modules_here(place) if is_module else [n for n in here if not n.startswith("_")]
    near = difflib.get_close_matches(name, offered, n=3, cutoff=0.8 if is_module else 0.6)
    instead = f" The nearest names here: {', '.join(near)}." if near else ""
    if (
        not internal
        and name not in known().get(place, ())
        and not is_module
        and name not in known_modules().get(place, ())
    ):
        if error is AttributeError:  # PyTorch's own, and programs print it: what to do about it is the trace's to say
            return error(phrase)
        at = elsewhere(name)
        where = f" PyTorch has it as {at}." if at else ""
        return error(explained(phrase, f"PyTorch has no such name either.{where}{instead}"))
    spelled = f"torch.Tensor.{name}" if place == "Tensor" else f"{place}.{name}"
    why = (
        " It is about PyTorch's C++ side."
        if internal
        else " It is about another machine, file format or compiler, which a traced run does not have."
        if name in ELSEWHERE or place.rsplit(".", maxsplit=1)[-1] in ELSEWHERE
        else ""
    )
    words = explained(phrase, f"PyTorch 2.13 has {spelled}, this engine does not.{why}{instead}")
    return NotHere(words) if error is AttributeError else error(words, name=place)


def elsewhere(name: str) -> str:
    """Where PyTorch has a public name, if anywhere: ``torch.nn.Linear``."""
    place = next((place for place, names in known().items() if name in names and place.startswith("torch")), "")
    return place and f"{place}.{name}"


def modules_here(place: str) -> list[str]:
    """The modules of PyTorch's below ``place`` that are here: a module that is missing is answered by modules."""
    below = (name for name in known_modules() if name.rpartition(".")[0] == place)
    return [name.rpartition(".")[2] for name in below if PACKAGE + name.removeprefix("torch") in sys.modules]


def asked_by_import() -> bool:
    """Whether ``from place import name`` asks a module's ``__getattr__`` now."""
    import opcode  # here, since importing torch should be quick

    frame = sys._getframe(2)
    while frame.f_code.co_name in ("look_up", "__getattr__") and frame.f_back is not None:
        frame = frame.f_back
    return opcode.opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM"


def missing_module(name: str) -> str | None:
    """What is said when ``import torch.x.y`` asks for a module that PyTorch has and this engine has not.

    None: PyTorch has no module of that name either.
    """
    parts = name.split(".")
    beside = ELSEWHERE.intersection(parts[1:])
    if name not in known_modules() and not beside:
        return None
    why = (
        "It is about another machine, file format or compiler, which a traced run does not have."
        if beside
        else "Remove this import and what uses it: the rest can be played without it."
    )
    return explained(f"No module named {name!r}", f"PyTorch 2.13 has {name}, this engine does not. {why}")


def module_getattr(place: str, namespace: dict[str, Any]) -> Callable[[str], Any]:
    """A module's ``__getattr__``, called only for names it does not have: some are modules to import, or to derive."""

    def look_up(name: str) -> Any:
        module = module_at(f"{place}.{name}")
        if module is not None:
            return module
        raise missing(place, name, namespace)

    return look_up


class MissingAttribute:
    """Stands on the tensor class for a method PyTorch has and we have not, or have not declared yet.

    A ``__getattr__`` would serve too, but it makes every attribute access of every tensor slower.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        declare_late_families()
        if vars(Tensor)[self.name] is not self:
            return getattr(owner if instance is None else instance, self.name)
        raise missing(
            "Tensor",
            self.name,
            (name for name, value in vars(Tensor).items() if not isinstance(value, MissingAttribute)),
        )


def refuse_writing(name: str) -> Callable[..., NoReturn]:
    """The setter or deleter of an attribute that has none."""

    def refuse(tensor: Any, value: Any = None) -> NoReturn:
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    return refuse


def declare_missing_methods() -> None:
    """Puts a `MissingAttribute` wherever PyTorch's tensors have a public name and ours do not."""
    names = names_of("Tensor")
    for name in (names | INTERNALS).difference(dir(Tensor)):
        setattr(Tensor, name, MissingAttribute(name))
    for owner in (Tensor, HoldsGradient):
        for name, value in list(vars(owner).items()):
            if type(value) is property and value.fdel is None:
                refuse = refuse_writing(name)
                setattr(owner, name, property(value.fget, value.fset or refuse, refuse, value.__doc__))
    Tensor.__dir__ = what_is_here  # type: ignore[assignment,method-assign]  # object's gives an iterable


def what_is_here(self: Tensor) -> list[str]:
    """``dir(tensor)``: without the names that are only refused, and without ``volatile``, which PyTorch keeps but does not list."""
    declare_late_families()
    names = (name for name in object.__dir__(self) if name != "volatile")
    return [name for name in names if not isinstance(vars(Tensor).get(name), MissingAttribute)]
