"""Settings that snippets turn and read back, and that change nothing here: one thread, always deterministic, eager."""

from __future__ import annotations

from engine.errors import require_bool
from engine.ops.core.declare import composite
from engine.warned import given


class Switches:
    """What was last set; PyTorch's defaults to begin with."""

    __slots__ = (
        "deterministic",
        "interop_threads",
        "precision",
        "sparse_invariants",
        "threads",
        "warn_only",
    )

    def __init__(self) -> None:
        self.threads = 1
        self.interop_threads = 1
        self.deterministic = False
        self.warn_only = False
        self.precision = "highest"
        self.sparse_invariants = False


switches = Switches()


@composite(at="torch")
def set_num_threads(num: int) -> None:
    """How many threads one operation may use; the engine uses one.

    Raises:
        RuntimeError: fewer than one.
    """
    if num <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    switches.threads = num


@composite(at="torch")
def get_num_threads() -> int:
    """What `set_num_threads` was given."""
    return switches.threads


@composite(at="torch")
def set_num_interop_threads(num: int) -> None:
    """How many operations may run side by side; here one after the other.

    Raises:
        RuntimeError: fewer than one.
    """
    if num <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    switches.interop_threads = num


@composite(at="torch")
def get_num_interop_threads() -> int:
    """What `set_num_interop_threads` was given."""
    return switches.interop_threads


@composite(at="torch")
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Asks for algorithms that repeat themselves; the engine's all do.

    Raises:
        TypeError: no bool.
    """
    require_bool(mode, "_set_deterministic_algorithms", "mode", 1)
    require_bool(warn_only, "_set_deterministic_algorithms", "warn_only")
    switches.deterministic, switches.warn_only = mode, warn_only


@composite(at="torch")
def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` is on."""
    return switches.deterministic


@composite(at="torch")
def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether it would only warn."""
    return switches.warn_only


@composite(at="torch")
def set_float32_matmul_precision(precision: str) -> None:
    """How exactly float32 matrices are multiplied: here always exactly. An unknown word changes nothing.

    Raises:
        RuntimeError: no word.
    """
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}")
    if precision in ("highest", "high", "medium"):
        switches.precision = precision


@composite(at="torch")
def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` was given."""
    return switches.precision


@composite(at="torch")
def set_flush_denormal(mode: bool) -> bool:
    """Whether tiny numbers become 0; False: the engine keeps them."""
    return False


@composite(at="torch")
def set_warn_always(b: bool) -> None:
    """Whether warnings that PyTorch gives once are given every time."""
    given.always = bool(b)


@composite(at="torch")
def is_warn_always_enabled() -> bool:
    """What `set_warn_always` was given."""
    return given.always
