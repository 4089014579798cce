"""How tensors show themselves: ``repr``, ``str``, ``torch.set_printoptions``, and where they say they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine import dtype as dtypes
from engine import printing
from engine.autograd.modes import state as modes
from engine.autograd.node import Node
from engine.late import Late
from engine.ops.core.catalogue import publish
from engine.ops.core.tangents import tangent_of
from engine.placement import META
from engine.size import Size
from engine.tensor import Parameter, Tensor

if TYPE_CHECKING:
    from engine.ops.meta import showing as meta
    from engine.printing import description
else:
    meta = Late("engine.ops.meta.showing")
    description = Late("engine.printing.description")


def tensor_repr(self: Tensor, *, tensor_contents: Any = None) -> str:
    """PyTorch's text, byte for byte (`engine.printing`); within transforms, what they wrap around it too."""
    if modes.layers:
        return modes.layers[-1].describe(self)
    try:
        node = self.grad_fn
    except RuntimeError:  # a view made without recording whose storage was written to while recording
        return described(self, self.requires_grad, None, "Invalid")
    return described(self, self.requires_grad, node)


def described(self: Tensor, requires_grad: bool, node: Node | None, node_name: str | None = None) -> str:
    """The text of a tensor of which this is to be told."""
    if node is not None:
        node_name = node.name().rsplit("::", 1)[-1]
    kind = type(self)
    type_name = "tensor" if kind in (Tensor, Parameter) else kind.__name__
    if modes.meta_met and self.device is META:
        return meta.shown(self, node_name, type_name, requires_grad)
    tangent = tangent_of(self) if modes.forward_level and not modes.layers else None
    text = description.describe(
        np.asarray(self._array),
        self.dtype.name,
        default_dtype=dtypes.defaults.floating.name,
        requires_grad=requires_grad,
        grad_fn=node_name,
        tangent=None if tangent is None else f"{tangent}",
        type_name=type_name,
    )
    return f"Parameter({text})" if isinstance(self, Parameter) and kind is not Parameter else text


def parameter_repr(self: Parameter) -> str:
    """``Parameter containing:`` and the tensor on the next line."""
    return description.describe_parameter(tensor_repr(self))


Tensor.__repr__ = tensor_repr  # type: ignore[assignment]  # takes `tensor_contents`, as PyTorch's
Parameter.__repr__ = parameter_repr  # type: ignore[assignment]  # the same
Tensor.__module__ = Size.__module__ = "torch"
Parameter.__module__ = "torch.nn.parameter"

for _function in (printing.set_printoptions, printing.get_printoptions, printing.printoptions):
    publish("torch", _function.__name__, _function)
