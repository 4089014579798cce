"""Layers that learn their input size from the first input; then they become the ordinary layer."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.autograd.modes import no_grad
from engine.nn import batch_norm, convolution, instance_norm, linear
from engine.nn.module import Module
from engine.nn.uninitialized import Uninitialized, UninitializedBuffer, UninitializedParameter, is_lazy
from engine.tensor import Tensor


class Lazy(Module):
    """A layer before its first input: sizes are learned in a hook that runs once."""

    cls_to_become: ClassVar[type]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(Lazy._take_loaded_shapes, with_module=True)
        self._initialize_hook = self.register_forward_pre_hook(Lazy._learn)

    def _learn(self, args: tuple[Any, ...]) -> None:
        with no_grad():
            self.initialize_parameters(*args)
        self._initialize_hook.remove()
        self._load_hook.remove()
        del self._initialize_hook, self._load_hook
        self.__class__ = self.cls_to_become

    def initialize_parameters(self, input: Tensor) -> None:
        """Gives the parameters their shapes and first values."""
        raise NotImplementedError

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer still waits for its shape."""
        return any(map(is_lazy, [*self._parameters.values(), *self._buffers.values()]))

    def _take_loaded_shapes(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Before loading: what waits for its shape takes that of the value to come."""
        for name, held in [*self._parameters.items(), *self._buffers.items()]:
            value = state_dict.get(prefix + name)
            if isinstance(held, Uninitialized) and isinstance(value, Tensor) and not is_lazy(value):
                held.materialize(value.shape)

    def _load_one(self, name: str, held: Tensor, key: str, value: Any, assign: bool) -> str:
        """What waits for its shape on both sides goes on waiting."""
        return "" if is_lazy(held) and is_lazy(value) else super()._load_one(name, held, key, value, assign)

    def reset_parameters(self) -> None:
        """Nothing to draw before the shapes are known."""
        if "_initialize_hook" not in self.__dict__ or self.has_uninitialized_params():
            return
        self.cls_to_become.reset_parameters(self)


def lazy_parameters(
    layer: Module, *names: str, wanted: bool = True, device: Any = None, dtype: Any = None, **_: Any
) -> None:
    """Parameters without a shape, of that device and dtype; without parameters if they are not wanted."""
    for name in names:
        if wanted:
            layer._parameters[name] = UninitializedParameter(device=device, dtype=dtype)
        else:
            layer.register_parameter(name, None)


class LazyLinear(Lazy, linear.Linear):
    """`Linear` whose ``in_features`` is learned."""

    cls_to_become = linear.Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.out_features = out_features
        lazy_parameters(self, "weight", device=device, dtype=dtype)
        lazy_parameters(self, "bias", wanted=bias, device=device, dtype=dtype)

    def initialize_parameters(self, input: Tensor) -> None:
        """From the last dimension."""
        if self.has_uninitialized_params():
            self.weight.materialize((self.out_features, input.shape[-1]))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            self.reset_parameters()
        self.in_features = self.weight.shape[1]


class _LazyConvolution(Lazy):
    """What the six lazy convolutions share."""

    _dims: ClassVar[int]

    def __init__(self, out_channels: int, kernel_size: Any, *args: Any, bias: bool = True, **kwargs: Any) -> None:
        super().__init__(0, 0, kernel_size, *args, bias=False, **kwargs)
        self.out_channels = out_channels
        lazy_parameters(self, "weight", **kwargs)
        lazy_parameters(self, "bias", wanted=bias, **kwargs)

    def _channel_dimension(self, input: Tensor) -> int:
        """Where the channels stand: in front of a single sample, behind the batch otherwise.

        Raises:
            RuntimeError: neither of the two.
        """
        single = self._dims + 1
        if input.dim() not in (single, single + 1):
            raise RuntimeError(
                f"Expected {single}D (unbatched) or {single + 1}D (batched) input to {type(self).__name__}, "
                f"but got input of size: {input.shape}"
            )
        return input.dim() - single

    def initialize_parameters(self, input: Tensor) -> None:
        """From the channels.

        Raises:
            ValueError: the groups do not divide the channels.
        """
        if not self.has_uninitialized_params():
            return
        made: Any = self
        self.in_channels = input.shape[self._channel_dimension(input)]
        if self.in_channels % made.groups:
            raise ValueError("in_channels must be divisible by groups")
        first, second = (
            (self.in_channels, self.out_channels) if made.transposed else (self.out_channels, self.in_channels)
        )
        self.weight.materialize((first, second // made.groups, *made.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class _LazyNormBase(Lazy):
    """What the six lazy norms share: all that can be learned is learned, unless told otherwise."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, affine, track_running_stats, device=device, dtype=dtype, bias=bias)
        for name in ("weight", "bias"):
            held = self._parameters[name]
            if held is not None:
                lazy_parameters(self, name, device=held.device, dtype=held.dtype)
        for name in ("running_mean", "running_var"):
            buffer = self._buffers[name]
            if buffer is not None:
                self._buffers[name] = UninitializedBuffer(device=buffer.device, dtype=buffer.dtype)

    def initialize_parameters(self, input: Tensor) -> None:
        """From the channels."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        for held in [*self._parameters.values(), *self._buffers.values()]:
            if isinstance(held, Uninitialized):
                held.materialize((self.num_features,))
        self.reset_parameters()


def _lazy(base: type[Lazy], layer: type[Module], kin: type[Module] | None = None) -> Any:
    """``Lazy<layer>``: a ``layer`` already, or as with PyTorch's norms only one of its ``kin`` before it has become one."""
    body = {
        "cls_to_become": layer,
        **({} if kin is None else {"_dims": layer._dims}),
        "__module__": __name__,
        "__doc__": f"`{layer.__name__}` whose input size is learned.",
    }
    return type(f"Lazy{layer.__name__}", (base, kin or layer), body)


LazyConv1d, LazyConv2d, LazyConv3d = (
    _lazy(_LazyConvolution, layer) for layer in (convolution.Conv1d, convolution.Conv2d, convolution.Conv3d)
)
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (
    _lazy(_LazyConvolution, layer)
    for layer in (convolution.ConvTranspose1d, convolution.ConvTranspose2d, convolution.ConvTranspose3d)
)
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (
    _lazy(_LazyNormBase, layer, batch_norm._BatchNorm)
    for layer in (batch_norm.BatchNorm1d, batch_norm.BatchNorm2d, batch_norm.BatchNorm3d)
)
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (
    _lazy(_LazyNormBase, layer, instance_norm._InstanceNorm)
    for layer in (instance_norm.InstanceNorm1d, instance_norm.InstanceNorm2d, instance_norm.InstanceNorm3d)
)
