"""Calls of operators that no program makes by a function's name: writes in place, and derivatives of derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.sparse.compressed import compress
from engine.ops.sparse.coordinates import Coordinates, from_dense

A = np.array([0.5, -1.5, 2.0, -0.25])
B = np.array([0.75, 0.25, -2.0, -0.25])
SQUARE = np.array([[0.5, -1.5, 1.25], [2.0, 0.25, -1.0]])
IMAGE = np.linspace(-1.0, 2.1, 16).reshape(1, 1, 4, 4) ** 2
VOLUME = np.linspace(-1.0, 2.1, 32).reshape(1, 1, 2, 4, 4) ** 2
PLACES = np.array([[[[1, 6], [8, 15]]]])
DEEP_PLACES = np.array([[[[[1, 6], [8, 31]]]]])
NOISE = np.array([1.0, 0.2, 1.0, 0.3])

HOLED = np.array([[0.0, -1.5, 0.0], [2.0, 0.0, 0.25]])
COLUMNS = np.array([[0.5, 0.0], [0.0, -1.0], [3.0, 2.0]])
STORED = from_dense(HOLED, 2)
TWICE = Coordinates(np.array([[0, 0, 1, 0], [1, 1, 0, 2]]), np.array([1.0, 0.5, -2.0, 4.0]), (2, 3))
WHOLE_ROWS = Coordinates(np.array([[0, 2]]), np.array([[1.0, 0.5], [-2.0, 4.0]]), (3, 2), coalesced=True)
LINES = compress(STORED, by_row=True)

SIGNAL, ARRIVED = np.array([[[0.5, -1.5, 2.0], [1.0, 0.3, -0.7]]]), np.array([[[0.5, -1.0], [2.0, 0.25]]])
FILTERS = np.array([[[0.5, 1.5], [-1.0, 2.0]], [[0.25, -0.5], [1.0, 3.0]]])
EXAMPLES: dict[str, list[list[Any]]] = {
    "ToSparseBackward0": [[HOLED, 1], [HOLED, 2]],
    "ToSparseBackward1": [[HOLED, "sparse_coo"], [LINES, "sparse_coo"], [TWICE, "sparse_csr"]],
    "ToSparseCsrBackward0": [[HOLED], [TWICE]],
    "ToSparseCscBackward0": [[HOLED], [TWICE]],
    "ToSparseBsrBackward0": [[HOLED, (1, 3)], [HOLED, (2, 1)]],
    "ToSparseBscBackward0": [[HOLED, (1, 3)], [HOLED, (2, 1)]],
    "SparseMmReduceImplBackward0": [[LINES, COLUMNS + 0.5, reduce] for reduce in ("sum", "mean", "amax", "amin")],
    "FakeQuantizePerTensorAffineCachemaskBackward0": [[A, 0.25, 1, -2, 4], [SQUARE, 0.5, 0, -2, 4]],
    "FakeQuantizePerTensorAffineCachemaskTensorQparamsBackward0": [[A, np.array(0.25), np.array(1), -2, 4]],
    "FakeQuantizePerChannelAffineCachemaskBackward0": [[SQUARE, np.array([0.25, 0.5]), np.array([1, 0]), 0, -2, 4]],
    "ToDenseBackward0": [[TWICE, None], [WHOLE_ROWS, None], [LINES, None]],
    "CoalesceBackward0": [[TWICE]],
    "ValuesBackward0": [[STORED], [LINES]],
    "SparseCooTensorWithDimsAndTensorsBackward0": [
        [STORED.indices, np.array([1.0, -2.0, 0.5]), (2, 3), False],
        [WHOLE_ROWS.indices, WHOLE_ROWS.values, (3, 2), True],
    ],
    "SparseCompressedTensorBackward0": [[LINES.starts, LINES.others, np.array([1.0, -2.0, 0.5]), (2, 3), True, False]],
    "SparseMaskBackward0": [[HOLED + 1, STORED], [TWICE, STORED], [HOLED + 1, LINES]],
    "SparseAddmmBackward0": [[np.ones((2, 2)), STORED, COLUMNS, 2.0, 3.0], [np.ones((2, 2)), TWICE, COLUMNS, 1.0, 1.0]],
    "SparseSparseMatmulBackward0": [[STORED, from_dense(COLUMNS, 2)], [TWICE, from_dense(COLUMNS, 2)]],
    "SparseSumBackward0": [[TWICE, (0,)], [STORED, (1,)], [STORED, (0, 1)], [WHOLE_ROWS, (1,)], [WHOLE_ROWS, (0,)]],
    "SparseSoftmaxBackward0": [[STORED, 1], [STORED, 0], [WHOLE_ROWS, 1]],
    "SparseLogSoftmaxBackward0": [[STORED, 1], [STORED, 0], [WHOLE_ROWS, 1]],
    "CopyBackwards": [[A, B]],
    "FillBackward2": [[A, 2.0]],
    "FillBackward3": [[A, np.array(2.0)]],
    "ZeroBackward0": [[A]],
    "PolygammaBackward1": [[np.array([0.5, 1.5, 3.0]), 1], [np.array([0.5, 1.5, 3.0]), 2]],
    "LeakyReluBackward1": [[A, 0.2]],
    "ThresholdBackward1": [[A, 0.4, 5.0]],
    "EluBackward1": [[A, 0.7, 1.0, 1.0], [A, 1.7, 2.0, 3.0]],
    "CeluBackward1": [[A, 0.7]],
    "RreluWithNoiseBackward0": [[A, NOISE, 0.1, 0.4, True]],
    "RreluWithNoiseBackward1": [[A, NOISE, 0.1, 0.4, True]],
    "RreluWithNoiseBackwardBackward0": [[B, A, NOISE, 0.1, 0.4, True]],
    "HuberLossBackwardBackward0": [[np.array(1.5), A, B, 1, 0.7]],
    "SoftMarginLossBackwardBackward0": [[np.array(1.5), A, np.sign(B), 1]],
    "NativeBatchNormBackwardBackward0": [
        [SQUARE.T, SQUARE, np.ones(2), None, None, np.zeros(2), np.ones(2), True, 1e-5, [True] * 3]
    ],
    "NativeLayerNormBackwardBackward0": [
        [SQUARE.T, SQUARE, (2,), np.zeros(2), np.ones(2), np.ones(2), np.zeros(2), [True] * 3, 1e-5]
    ],
    "MaskedScatterBackwardBackward0": [[A, np.array([True, False, True]), (3,)]],
    "BinaryCrossEntropyBackwardBackward0": [
        [np.array(1.5), np.array([0.2, 0.7, 0.9]), np.array([0.0, 1.0, 0.4]), None, 1]
    ],
    "RenormBackward0": [[SQUARE, 2, 0, 2.1]],
    "NansumBackward0": [[np.array([1.0, np.nan, 2.0]), None, False, None]],
    "UnsafeMaskedIndexBackward0": [[A, np.array([True, False, True]), [np.array([0, 2, 0])], 0.0]],
    "UnsafeMaskedIndexPutAccumulateBackward0": [
        [A, np.array([True, False, True]), [np.array([0, 2, 0])], np.array([1.0, 2.0, 3.0])]
    ],
    "SqueezeBackward3": [[SQUARE[None]]],
    "SqueezeBackward4": [[SQUARE[None], 0]],
    "SqueezeBackward5": [[SQUARE[None, :, None], (0, 2)]],
    "UnsqueezeBackward1": [[SQUARE, 1]],
    "TBackward1": [[SQUARE]],
    "TransposeBackward1": [[SQUARE, 0, 1]],
    "AsStridedBackward1": [[A, (2, 2), (2, 1), 0], [A, (2, 2), (1, 1), 1]],
    **{f"{name}Backward1": [[A, B]] for name in ("Eq", "Ne", "Gt", "Ge", "Lt", "Le")},
    "TestWarnInAutogradBackward0": [[A]],
    "TestAutogradMultipleDispatchBackward0": [[A]],
    "TestAutogradMultipleDispatchViewBackward0": [[SQUARE]],
    "TestAutogradMultipleDispatchViewBackward0_copy": [[SQUARE]],
    "UniformBackward0": [[A, 2.0, 3.0, None]],
    "NormalBackward0": [[A, 2.0, 3.0, None]],
    "ExponentialBackward0": [[A, 2.0, None]],
    "CauchyBackward0": [[A, 2.0, 3.0, None]],
    "LogNormalBackward0": [[A, 1.0, 2.0, None]],
    "GeometricBackward0": [[A, 0.5, None]],
    "BernoulliBackward2": [[A, 0.5, None]],
    "BernoulliBackward1": [[A, np.array([0.0, 1.0, 0.5, 0.5]), None]],
    "RandomBackward2": [[A, None]],
    "RandomBackward1": [[A, 9, None]],
    "RandomBackward0": [[A, 2, 9, None]],
}
"""Arguments in signature order, by the name of the operator's nodes."""

BY_NAME: dict[str, list[list[Any]]] = {
    **{f"{kind}2d_pick": [[IMAGE, PLACES]] for kind in ("max_pool", "adaptive_max_pool", "fractional_max_pool")},
    **{f"{kind}3d_pick": [[VOLUME, DEEP_PLACES]] for kind in ("max_pool", "adaptive_max_pool", "fractional_max_pool")},
    "set_": [[A, B]],
    "convolution_input_gradient": [[ARRIVED, FILTERS, (1, 2, 3), (1,), (0,), (1,), 1]],
    "convolution_weight_gradient": [[ARRIVED, SIGNAL, (2, 2, 2), (1,), (0,), (1,), 1]],
    "_native_batch_norm_legit": [
        [SQUARE, np.array([1.5, -0.5, 2.0]), np.array([0.1, 0.2, 0.3]), None, None, True, 0.1, 1e-5]
    ],
}
"""The same by the operator's name, where several have nodes of one name."""
