"""The generator's seeding and state."""

from __future__ import annotations

import numpy as np
import pytest

from engine.random import DEFAULT_SEED, Generator
from engine.random.distributions import integers, normal, uniform
from engine.random.generator import STATE_BYTES

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


def test_state_has_pytorchs_length_and_opens_with_the_seed() -> None:
    state = Generator(1234).state_bytes()
    assert len(state) == STATE_BYTES == 5056
    assert int.from_bytes(state[:8], "little") == 1234


@pytest.mark.parametrize("draws", [0, 1, 623, 624, 625, 700])
def test_a_loaded_state_continues_the_stream(draws: int) -> None:
    original, copy = Generator(9), Generator(1)
    original.words32(draws)
    copy.load_state_bytes(original.state_bytes())
    assert copy.state_bytes() == original.state_bytes()
    assert (copy.words32(700) == original.words32(700)).all()
    assert copy.initial_seed() == 9


def test_the_cached_normal_is_part_of_the_state() -> None:
    original, copy = Generator(9), Generator(1)
    normal(original, (3,), F64)
    copy.load_state_bytes(original.state_bytes())
    assert copy.cached_normal == original.cached_normal is not None
    assert normal(copy, (5,), F64).tolist() == normal(original, (5,), F64).tolist()


def test_seeding_forgets_the_cached_normal() -> None:
    generator = Generator(9)
    normal(generator, (1,), F32)
    generator.reseed(9)
    assert generator.state_bytes() == Generator(9).state_bytes()


def test_empty_draws_leave_the_state_alone() -> None:
    generator = Generator(3)
    for shape in ((0,), (2, 0)):
        assert normal(generator, shape, F32).shape == uniform(generator, shape, F32).shape == shape
    assert generator.state_bytes() == Generator(3).state_bytes()


def test_negative_seeds_count_down_from_two_to_the_64() -> None:
    assert Generator(-3).initial_seed() == 2**64 - 3


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_beyond_64_bits_is_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        Generator(seed)


def test_picking_a_seed_gives_the_same_ones_in_every_run() -> None:
    first, second = Generator(), Generator()
    assert first.initial_seed() == DEFAULT_SEED
    assert [first.seed(), first.seed()] == [second.seed(), second.seed()]
    assert first.seed() == first.initial_seed() != DEFAULT_SEED


@pytest.mark.parametrize(
    ("state", "phrase"),
    [
        (b"123", "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 3"),
        (bytes(5056), "Invalid mt19937 state"),
    ],
)
def test_a_state_that_is_none_is_refused(state: bytes, phrase: str) -> None:
    with pytest.raises(RuntimeError, match=phrase):
        Generator().load_state_bytes(state)


def test_integers_a_half_type_cannot_hold_are_warned_about() -> None:
    with pytest.warns(UserWarning, match="to - 1 is out of bounds"):
        integers(Generator(), (2,), np.dtype(np.float16), 0, 60000)
