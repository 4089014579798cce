"""The whole text of a tensor: contents, then what is worth saying about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.printing.layout import lay_out
from engine.printing.options import PrintOptions, options

if TYPE_CHECKING:  # importing torch should be quick
    from numpy.typing import NDArray


def describe(
    values: NDArray[Any],
    dtype: str,
    *,
    default_dtype: str = "float32",
    requires_grad: bool = False,
    grad_fn: str | None = None,
    tangent: str | None = None,
    type_name: str = "tensor",
) -> str:
    """``repr`` of a tensor.

    Args:
        values: its elements, any shape.
        dtype: PyTorch's name of its type without ``torch.`` (``float32``); left unsaid if reading the text back
            would give it anyway.
        default_dtype: ``torch.get_default_dtype()``, likewise.
        requires_grad: said only of a leaf.
        grad_fn: class name of the node that made it (``MulBackward0``), or None.
        tangent: text of its forward-mode derivative, or None.
        type_name: ``tensor``, or the class name of a subclass.
    """
    prefix = f"{type_name}("
    notes = []
    if not values.size:
        if values.ndim != 1:
            notes.append(f"size={values.shape}")
        implied = dtype == default_dtype
    else:
        if not options.edgeitems:
            notes.append(f"size={values.shape}")
        default_complex = "complex128" if default_dtype == "float64" else "complex64"
        implied = dtype in (default_dtype, default_complex, "int64", "bool")
    if not implied:
        notes.append(f"dtype=torch.{dtype}")
    if grad_fn is not None:
        notes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        notes.append("requires_grad=True")
    if tangent is not None:
        notes.append(f"tangent={tangent}")
    return _annotated(prefix + lay_out(values, len(prefix), options), notes, len(prefix), options)


def describe_without_elements(
    shape: tuple[int, ...],
    dtype: str,
    device: str,
    *,
    default_dtype: str = "float32",
    requires_grad: bool = False,
    grad_fn: str | None = None,
    type_name: str = "tensor",
) -> str:
    """``repr`` of a tensor that has a form only; the arguments are those of `describe`, and the device where it is said to be."""
    notes = [f"device='{device}'", f"size={shape}"]
    if dtype != default_dtype:
        notes.append(f"dtype=torch.{dtype}")
    if grad_fn is not None:
        notes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        notes.append("requires_grad=True")
    prefix = f"{type_name}("
    return _annotated(f"{prefix}...", notes, len(prefix), options)


def describe_parts(
    parts: dict[str, NDArray[Any]],
    shape: tuple[int, ...],
    dtype: str,
    layout: str,
    *,
    default_dtype: str = "float32",
    requires_grad: bool = False,
    grad_fn: str | None = None,
    facts_apart: bool = False,
) -> str:
    """``repr`` of a tensor that is stored in parts: each printed like a tensor, then the facts.

    Args:
        parts: arrays by name, the values last.
        shape: of the whole tensor.
        dtype, default_dtype, requires_grad, grad_fn: as `describe`.
        layout: ``torch.sparse_coo``.
        facts_apart: whether the facts begin on a line of their own.
    """
    indent = len("tensor(")
    texts = []
    for name, array in parts.items():
        prefix = f"{name}=tensor("
        size = "" if array.size else f", size={array.shape}"
        texts.append(f"{prefix}{lay_out(array, indent + len(prefix), options)}{size})")
    notes = [f"size={shape}", f"nnz={len(parts['values'])}"]
    if dtype not in (default_dtype, "complex128" if default_dtype == "float64" else "complex64", "int64", "bool"):
        notes.append(f"dtype=torch.{dtype}")
    notes.append(f"layout={layout}")
    if grad_fn is not None:
        notes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        notes.append("requires_grad=True")
    text = "tensor(" + (",\n" + " " * indent).join(texts)
    if not facts_apart:
        return _annotated(text, notes, indent, options)
    text += ",\n" + " " * indent + notes[0]
    return _annotated(text, notes[1:], indent, options, indent + len(notes[0]))


def describe_parameter(text: str) -> str:
    """``repr`` of a ``torch.nn.Parameter``, given that of the tensor it is."""
    return f"Parameter containing:\n{text}"


def _annotated(text: str, notes: list[str], indent: int, options: PrintOptions, column: int = 0) -> str:
    """Appends ``notes``, each on the current line (``column`` wide so far) if it fits, and the closing bracket."""
    column = column or len(text) - text.rfind("\n") + 1
    for note in notes:
        if column + len(note) + 2 > options.linewidth:
            text += ",\n" + " " * indent + note
            column = indent + len(note)
        else:
            text += ", " + note
            column += len(note) + 2
    return text + ")"
