"""Who draws: ``torch.Generator``, the default generator, and ``torch.manual_seed`` and its kin.

PyTorch seeds its default generator from the machine's entropy. Ours starts from a fixed seed: equal code, equal trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import placement, random
from engine.ops.core.declare import composite
from engine.tensor import Tensor, wrap


def require_cpu_generator(where: Any) -> None:
    """Raises RuntimeError: no generator is made anywhere else."""
    where = "cpu" if where is None else where
    if isinstance(where, int):
        raise RuntimeError("Cannot access accelerator device when none is available.")
    kind = placement.device(where).type
    if kind in ("cuda", "xpu"):
        raise RuntimeError(
            f"Cannot get {kind.upper()} generator without ATen_{kind} library. There is only the CPU here."
        )
    if kind == "mps":
        raise RuntimeError("Cannot execute getNewGenerator() without MPS backend.")
    if placement.placed(where) is placement.META:
        raise RuntimeError("META device type not an accelerator.")


class Generator(random.Generator):
    """``torch.Generator``: a stream of random numbers of its own."""

    __module__ = "torch._C"

    def __init__(self, device: Any = "cpu") -> None:
        require_cpu_generator(device)
        super().__init__()

    def __dir__(self) -> list[str]:
        """Without what draws the numbers, which is the engine's own affair."""
        public = set(vars(Generator)) | {"initial_seed", "seed"}
        return [name for name in super().__dir__() if name.startswith("_") or name in public]

    @property
    def device(self) -> placement.device:
        """Always the CPU."""
        return placement.CPU

    def manual_seed(self, seed: int) -> Generator:
        """Starts over from ``seed`` and returns itself.

        Raises:
            RuntimeError: ``seed`` is no integer.
            ValueError: it does not fit 64 bits.
        """
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        self.reseed(int(seed))
        return self

    def get_state(self) -> Tensor:
        """The state as a uint8 tensor."""
        return wrap(np.frombuffer(self.state_bytes(), np.uint8).copy())

    def set_state(self, new_state: Tensor) -> Generator:
        """Takes over a state that `get_state` gave.

        Raises:
            TypeError: not a uint8 tensor.
            RuntimeError: not a state.
        """
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if new_state.dtype is not dtypes.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        self.load_state_bytes(np.ascontiguousarray(new_state._array).tobytes())
        return self

    def clone_state(self) -> Generator:
        """Another generator in the same state."""
        twin = Generator()
        twin.load_state_bytes(self.state_bytes())
        return twin

    graphsafe_get_state = clone_state

    def graphsafe_set_state(self, state: Generator) -> Generator:
        """Takes over another generator's state."""
        self.load_state_bytes(state.state_bytes())
        return self

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.state_bytes(),)


def _restored(state: bytes) -> Generator:
    generator = Generator()
    generator.load_state_bytes(state)
    return generator


default_generator = Generator()
refusals: list[str] = []
"""Why nobody may draw now, innermost last; empty if everybody may."""


@contextmanager
def drawing_refused(reason: str) -> Iterator[None]:
    """Who wants to draw inside gets a RuntimeError of these words, before anything is drawn."""
    refusals.append(reason)
    try:
        yield
    finally:
        refusals.pop()


def source(generator: Any, function: str = "") -> random.Generator:
    """The generator to draw from: the given one, or the default.

    Raises:
        RuntimeError: nobody may draw now.
        TypeError: something else was given.
    """
    if refusals:
        raise RuntimeError(refusals[-1])
    if generator is None:
        return default_generator
    if not isinstance(generator, random.Generator):
        raise TypeError(f"{function}(): argument 'generator' must be torch.Generator, not {type(generator).__name__}")
    return generator


@composite(at="torch")
def manual_seed(seed: Any) -> Generator:
    """Seeds the default generator and returns it."""
    return default_generator.manual_seed(int(seed))


@composite(at="torch")
def seed() -> int:
    """Picks a new seed for the default generator (the same one in every run) and returns it."""
    return default_generator.seed()


@composite(at="torch")
def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


@composite(at="torch")
def get_rng_state() -> Tensor:
    """The state of the default generator, a uint8 tensor."""
    return default_generator.get_state()


@composite(at="torch")
def set_rng_state(new_state: Tensor) -> None:
    """Puts the default generator back into a state that `get_rng_state` gave."""
    default_generator.set_state(new_state)


@composite(at="torch")
def thread_safe_generator() -> None:
    """The generator of the thread that loads data; None, which stands for the default one, where no other thread draws."""


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, **_: Any) -> Iterator[None]:
    """Draws inside the block leave the default generator as it was before."""
    if not enabled:
        yield
        return
    state = default_generator.state_bytes()
    try:
        yield
    finally:
        default_generator.load_state_bytes(state)
