"""The generator every random number comes from: a 32-bit Mersenne twister and one cached normal value.

Words are drawn in PyTorch's order: a 64-bit word is two 32-bit words, the first one the high half. The low bits become
the fraction of a uniform number (24 of 32 for float32, 53 of 64 for float64), which is PyTorch's choice, not numpy's.
"""

from __future__ import annotations

import struct
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # importing torch should be quick
    from numpy.typing import NDArray

DEFAULT_SEED = 67280421310721
"""The seed of ``torch.Generator()``."""

WORDS = 624
"""Length of the twister's state, in 32-bit words."""

_HEAD = struct.Struct("<QiiQ")  # initial seed, words left (the twister's count-down), seeded, next word
_TAIL = struct.Struct("<dddi4xfi")  # unused x, cached normal, unused rho, cached?, unused float32 cache
STATE_BYTES = _HEAD.size + 8 * WORDS + _TAIL.size
"""Length of ``torch.get_rng_state()``: every 32-bit word of the state is stored in 8 bytes."""


class Generator:
    """``torch.Generator``: seedable, with PyTorch's state as bytes.

    ``cached_normal`` is the second half of the last Box-Muller pair; it survives until the next serial normal draw or
    the next seeding, and is part of the state.
    """

    def __init__(self, seed: int = DEFAULT_SEED) -> None:
        self.cached_normal: float | None = None
        self._untouched = True  # freshly seeded: PyTorch then counts "next word" from 0, numpy from 624
        self._seed = 0
        self.reseed(seed)

    @cached_property
    def _bits(self) -> np.random.MT19937:
        """The twister at its seed, made when it is first drawn from: importing it takes longer than many snippets run."""
        bits = np.random.MT19937(0)
        np.random.RandomState(bits).seed(self._seed & 0xFFFFFFFF)
        return bits

    # seeding -----------------------------------------------------------------------------------------------------

    def reseed(self, seed: int) -> None:
        """Starts over from ``seed``; the twister sees its low 32 bits, a negative one counts from 2⁶⁴ down.

        Raises:
            ValueError: ``seed`` does not fit 64 bits.
        """
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % 2**64
        vars(self).pop("_bits", None)
        self._untouched = True
        self.cached_normal = None

    def initial_seed(self) -> int:
        """The seed last given, as an unsigned 64-bit number."""
        return self._seed

    def seed(self) -> int:
        """Picks a new seed, starts over from it and returns it.

        PyTorch asks the machine for entropy here. A run must give the same trace each time, so ours comes from the
        generator itself.
        """
        self.reseed(int(self.words64(1)[0]))
        return self._seed

    # raw draws ---------------------------------------------------------------------------------------------------

    def words32(self, count: int) -> NDArray[np.uint64]:
        """The next ``count`` 32-bit words."""
        if not count:
            return np.zeros(0, np.uint64)
        self._untouched = False
        return np.asarray(self._bits.random_raw(count), np.uint64)

    def words64(self, count: int) -> NDArray[np.uint64]:
        """The next ``count`` 64-bit words, high half drawn first."""
        halves = self.words32(2 * count)
        return (halves[0::2] << np.uint64(32)) | halves[1::2]

    def units_float32(self, count: int) -> NDArray[np.float32]:
        """Uniform numbers in [0, 1): the low 24 bits of a 32-bit word."""
        return (self.words32(count) & np.uint64(2**24 - 1)).astype(np.float32) * np.float32(2.0**-24)

    def units_float64(self, count: int) -> NDArray[np.float64]:
        """Uniform numbers in [0, 1): the low 53 bits of a 64-bit word."""
        return (self.words64(count) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53

    def unit(self) -> float:
        """One uniform number in [0, 1), as `units_float64`."""
        return float(self.units_float64(1)[0])

    # state -------------------------------------------------------------------------------------------------------

    def state_bytes(self) -> bytes:
        """The state as the `STATE_BYTES` bytes of ``torch.get_rng_state()``."""
        twister: Any = self._bits.state["state"]
        position = int(twister["pos"])
        left, following = (1, 0) if self._untouched else (WORDS + 1 - position, position)
        cached = self.cached_normal
        head = _HEAD.pack(self._seed, left, 1, following)
        tail = _TAIL.pack(0.0, cached or 0.0, 0.0, cached is not None, 0.0, 0)
        return head + np.asarray(twister["key"]).astype("<u8").tobytes() + tail

    def load_state_bytes(self, state: bytes) -> None:
        """Takes over a state that `state_bytes` (or PyTorch) wrote.

        Raises:
            RuntimeError: the length is not `STATE_BYTES`, or the twister's counters contradict each other.
        """
        if len(state) != STATE_BYTES:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_BYTES} "
                f"but found the input RNG state size to be {len(state)}"
            )
        seed, left, seeded, following = _HEAD.unpack_from(state)
        if seeded != 1 or not 0 < left <= WORDS or following > WORDS:
            raise RuntimeError("Invalid mt19937 state")
        key = np.frombuffer(state, "<u8", WORDS, _HEAD.size).astype(np.uint32)
        _, cached, _, has_cached, _, _ = _TAIL.unpack_from(state, _HEAD.size + 8 * WORDS)
        self._seed = seed
        self._untouched = left == 1 and following == 0
        position = WORDS if self._untouched else following
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": position}}
        self.cached_normal = cached if has_cached else None
