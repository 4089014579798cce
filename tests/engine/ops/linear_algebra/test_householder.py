"""Small float32 factorisations carry PyTorch's bits: a seed's weights must not differ in the last digit."""

from __future__ import annotations

import numpy as np

import engine.torch as torch
from engine.ops.linear_algebra import householder

PACKED = bytes.fromhex(
    "7130534060eb893d3d662c3eca7f57bfa6a33d3f62eb89be4f7409befaef4640042616beecd525c09082993f87649fbf"
    "4f7489bdcf44b43eb5a8bcbf3a81253e06e281bfb0ed1e3f762e4ebea9202b3e224d673f69b5af3f38c110c00f9a63bf"
    "762e4e3ee3999bbebef25cbd6ea7873eff09b93f020ab93f62d1abbeb9a3b0bd59e741bed056ca3dc77193be65e6cc34"
    "62d1abbe6a5b1ebe9614713eab25dbbe7d7d6d3f9499b3be"
)
"""What PyTorch 2.13's ``geqrf`` leaves of `matrix`, as little-endian float32."""

COLUMNS = bytes.fromhex(
    "88c038bf58cd0dbfd47ea4bef80f4b3da63284be3bcd933e966002bf26f7a83ef7ad31bfa13284be3bcd133e9bd511bf"
    "1b0a8f3df771643ef74b463fd7b3dd3e8c2991bd501061bff85e3ebe00000000d7b3ddbee452a53e8a9ecdbd392928bf"
    "a732043f"
)
"""Its Q of the upper left 5 × 5."""

ORTHOGONAL = bytes.fromhex(
    "c0a0ab3c7d6ecb3ecbb65fbffc97c93d6fce1ebf465affbcfad3d63d490e2d3f32ecf73edd477d3ff07596bc8091f3bc"
)
"""Its ``nn.init.orthogonal_(torch.empty(4, 3))`` after ``manual_seed(1234)``."""


def matrix() -> torch.Tensor:
    """Seven by six, uneven enough that every order of additions gives other bits."""
    whole = [[(7 * i * i + 3 * j + i * j) % 11 - 5 for j in range(6)] for i in range(7)]
    thirds: torch.Tensor = torch.tensor(whole, dtype=torch.float32) / 3
    return thirds


def bits(tensor: torch.Tensor) -> bytes:
    """Elements row by row."""
    return np.ascontiguousarray(tensor.numpy()).tobytes()


def test_reflections_and_triangle_have_the_bits_of_pytorch() -> None:
    assert bits(torch.geqrf(matrix())[0]) == PACKED


def test_orthonormal_columns_have_the_bits_of_pytorch() -> None:
    assert bits(torch.linalg.qr(matrix()[:5, :5])[0]) == COLUMNS


def test_orthogonal_start_values_of_a_seed_have_the_bits_of_pytorch() -> None:
    torch.manual_seed(1234)
    assert bits(torch.nn.init.orthogonal_(torch.empty(4, 3))) == ORTHOGONAL


def test_every_matrix_of_a_batch_is_factorised_like_one_alone() -> None:
    batch = torch.stack([matrix(), matrix() * 2 + 1])
    q, r = torch.linalg.qr(batch)
    for index in range(2):
        alone = torch.linalg.qr(batch[index])
        assert bits(q[index]) == bits(alone[0])
        assert bits(r[index]) == bits(alone[1])


def test_large_or_double_matrices_are_left_to_the_library() -> None:
    assert householder.runs_unblocked(np.empty((20, 20), np.float32))
    assert not householder.runs_unblocked(np.empty((21, 2), np.float32))
    assert not householder.runs_unblocked(np.empty((3, 3), np.float64))
