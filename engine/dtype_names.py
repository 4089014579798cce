"""What PyTorch's messages call an element type: as its scalar type, as a C++ type, or with the tensor around it.

Everything with a ``dtype`` has such names, tensors and arrays alike, since both dtypes bear the same `name`.
"""

from __future__ import annotations

from typing import Any

SCALAR_TYPE = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
    "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64", "float16": "Half", "bfloat16": "BFloat16",
    "float32": "Float", "float64": "Double", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
"""``c10::toString(ScalarType)``, by the dtype's name."""

C_TYPE = {
    "bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int",
    "int64": "long int", "uint16": "short unsigned int", "uint32": "unsigned int", "uint64": "long unsigned int",
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip
"""``caffe2::TypeMeta::name()``, by the dtype's name."""

CLASSES = ("Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double")
"""The scalar types for which PyTorch once had a class: ``torch.FloatTensor``."""


def scalar_type(typed: Any) -> str:
    """``Float`` for a tensor or array of float32."""
    return SCALAR_TYPE[typed.dtype.name]


def c_type(typed: Any) -> str:
    """``float`` for a tensor or array of float32."""
    return C_TYPE[typed.dtype.name]


def tensor_type(typed: Any) -> str:
    """``torch.FloatTensor`` for a tensor or array of float32, as `Tensor.type` says."""
    return f"torch.{scalar_type(typed)}Tensor"


def options_type(typed: Any) -> str:
    """``torch.FloatTensor``, but ``CPUBFloat16Type`` where there never was a class (``TensorOptions``' own name)."""
    name = scalar_type(typed)
    return f"torch.{name}Tensor" if name in CLASSES else f"CPU{name}Type"
