"""Reading a checkpoint that may hold weights only: which classes and functions it may name, and how the others are refused.

The words are PyTorch's, which programs print whole. What a program allows besides is kept until its run is over.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

from engine.errors import Explained

ALLOWED = frozenset({
    "collections.OrderedDict", "collections.Counter", "torch.nn.parameter.Parameter", "torch.Size", "torch.Tensor", "torch.device",
    "_codecs.encode", "builtins.bytearray", "builtins.set", "builtins.complex",
})  # fmt: skip
"""PyTorch's list, but for what rebuilds tensors: numpy's arrays and scalars are not on it."""
REBUILDING = frozenset({
    "rebuilt", "storage", "without_elements", "_by_name", "Coordinates", "Compressed", "Blocks", "_Named", "layout", "Size", "device",
})  # fmt: skip
"""What tensors, element types, sizes and devices are made of here."""
BLOCKED = frozenset({"sys", "os", "posix", "nt"})
"""Modules of which nothing is read, allowed or not."""
ADVICE = (
    "torch.load makes tensors, numbers, strings and containers only, unless weights_only=False is given. Save "
    "model.state_dict() instead of the model, and load it with model.load_state_dict(…)."
)

UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`. Re-running "
    "`torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code execution. Do it only "
    "if you got the file from a trusted source."
)
DOCUMENTATION = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


class AllowedByTheProgram:
    """Classes and functions that checkpoints may name too, or pairs of one and the name it is saved under."""

    def __init__(self) -> None:
        self.globals: set[Any] = set()

    def by_path(self) -> dict[str, Any]:
        """The same by the name they are saved under."""
        pairs = (each if isinstance(each, tuple) else (each, "") for each in self.globals)
        return {name or f"{found.__module__}.{found.__qualname__}": found for found, name in pairs}


allowed = AllowedByTheProgram()


def add_safe_globals(safe_globals: Sequence[Any]) -> None:
    """Lets checkpoints name these classes and functions too."""
    allowed.globals.update(safe_globals)


def clear_safe_globals() -> None:
    """Takes back what was allowed."""
    allowed.globals.clear()


def get_safe_globals() -> list[Any]:
    """What was allowed."""
    return list(allowed.globals)


class safe_globals:
    """Allows classes and functions for the length of a ``with``."""

    def __init__(self, safe_globals: Sequence[Any]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exception: object) -> None:
        allowed.globals.difference_update(self.safe_globals)


def found(module: str, name: str, look_up: Callable[[str, str], Any]) -> Any:
    """The class or function that a checkpoint names.

    Raises:
        pickle.UnpicklingError: it is not allowed.
    """
    path = f"{module}.{name}"
    if module in BLOCKED:
        raise refusal(f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked.")
    if path in ALLOWED or (module.partition(".")[0] in ("engine", "torch") and name in REBUILDING):
        return look_up(module, name)
    by_the_program = allowed.by_path()
    if path in by_the_program:
        return by_the_program[path]
    path = path.removeprefix("builtins.")
    raise refusal(
        f"Unsupported global: GLOBAL {path} was not an allowed global by default. Please use "
        f"`torch.serialization.add_safe_globals([{path}])` or the `torch.serialization.safe_globals([{path}])` context manager to "
        "allowlist this global if you trust this class/function.",
        allowable=True,
    )


def refusal(why: str, allowable: bool = False) -> pickle.UnpicklingError:
    """The error, with what may be done about it."""
    if allowable:
        words = (
            "Weights only load failed. This file can still be loaded, to do so you have two options, "
            f"\x1b[1mdo those steps only if you trust the source of the checkpoint\x1b[0m. \n\t(1) {UNSAFE}\n\t(2) Alternatively, to "
            "load with `weights_only=True` please check the recommended steps in the following error message.\n"
            f"\tWeightsUnpickler error: {why}"
        )
    else:
        issue = (
            "Please file an issue with the following so that we can make `weights_only=True` compatible with your use case: "
            "WeightsUnpickler error: "
        )
        words = f"Weights only load failed. {UNSAFE}\n{'' if why.endswith('is blocked.') else issue}\n\n{why}"
    return pickle.UnpicklingError(Explained(words + DOCUMENTATION, ADVICE if allowable else ""))


def unreadable(content: bytes) -> pickle.UnpicklingError:
    """The error about what `torch.save` did not write: PyTorch names the first byte that is none of its instructions."""
    operand = content[2:3] if content[:1] == pickle.PROTO else content[:1]
    return refusal(f"Unsupported operand {int.from_bytes(operand)}")
