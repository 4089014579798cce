"""Layers that learn their input size from the first input; then they become the ordinary layer."""

from __future__ import annotations

from typing import Any, ClassVar

from engine import dtype as dtypes
from engine.autograd.modes import no_grad
from engine.nn import convolution, linear, normalisation
from engine.nn.making import empty
from engine.nn.module import Module
from engine.tensor import Parameter, Tensor

UNKNOWN = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` when trying "
    "to load an uninitialized parameter into an initialized one. Call `forward` to initialize the parameters before accessing "
    "their attributes."
)


class Uninitialized:
    """A tensor whose shape is not known yet."""

    _array: Any
    becomes: ClassVar[type]

    @property
    def shape(self) -> Any:
        """Raises RuntimeError: it has none yet."""
        raise RuntimeError(UNKNOWN)

    def materialize(self, shape: tuple[int, ...], device: Any = None, dtype: Any = None) -> None:
        """Turns into an ordinary tensor of ``shape``, whose values come later."""
        chosen = dtypes.BY_ARRAY[self._array.dtype] if dtype is None else dtype
        self._array = empty(*shape, dtype=chosen, device=self.device if device is None else device)._array
        self.__class__ = self.becomes

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(Uninitialized, Parameter):
    """``torch.nn.UninitializedParameter``."""

    becomes = Parameter


class UninitializedBuffer(Uninitialized, Tensor):
    """``torch.nn.UninitializedBuffer``."""

    becomes = Tensor

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> UninitializedBuffer:
        """Without elements."""
        made: UninitializedBuffer = object.__new__(cls)
        made._array = empty(0, dtype=dtype, device=device)._array
        return made

    def __init__(self, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> None:
        """All is done in ``__new__``."""


class Lazy(Module):
    """A layer before its first input: sizes are learned in a hook that runs once."""

    becomes: ClassVar[type]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._initialize_hook = self.register_forward_pre_hook(Lazy._learn)

    def _learn(self, args: tuple[Any, ...]) -> None:
        with no_grad():
            self.initialize_parameters(*args)
        self._initialize_hook.remove()
        del self._initialize_hook
        self.__class__ = self.becomes

    def initialize_parameters(self, input: Tensor) -> None:
        """Gives the parameters their shapes and first values."""
        raise NotImplementedError

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer still waits for its shape."""
        return any(isinstance(t, Uninitialized) for t in [*self._parameters.values(), *self._buffers.values()])

    def reset_parameters(self) -> None:
        """Nothing to draw before the shapes are known."""
        if "_initialize_hook" not in self.__dict__ or self.has_uninitialized_params():
            return
        self.becomes.reset_parameters(self)


def lazy_parameters(
    layer: Module, *names: str, wanted: bool = True, device: Any = None, dtype: Any = None, **_: Any
) -> None:
    """Parameters without a shape, of that device and dtype; without parameters if they are not wanted."""
    for name in names:
        if wanted:
            layer._parameters[name] = parameter = UninitializedParameter()
            parameter._array = empty(0, dtype=dtype, device=device)._array
        else:
            layer.register_parameter(name, None)


class LazyLinear(Lazy, linear.Linear):
    """`Linear` whose ``in_features`` is learned."""

    becomes = linear.Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.out_features = out_features
        lazy_parameters(self, "weight", device=device, dtype=dtype)
        lazy_parameters(self, "bias", wanted=bias, device=device, dtype=dtype)

    def initialize_parameters(self, input: Tensor) -> None:
        """From the last dimension."""
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            self.weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            self.reset_parameters()


class _LazyConvolution(Lazy):
    """What the six lazy convolutions share."""

    def __init__(self, out_channels: int, kernel_size: Any, *args: Any, bias: bool = True, **kwargs: Any) -> None:
        super().__init__(0, 0, kernel_size, *args, bias=False, **kwargs)
        self.out_channels = out_channels
        lazy_parameters(self, "weight", **kwargs)
        lazy_parameters(self, "bias", wanted=bias, **kwargs)

    def initialize_parameters(self, input: Tensor) -> None:
        """From the channels."""
        if not self.has_uninitialized_params():
            return
        made: Any = self
        self.in_channels = input.shape[0 if input.dim() == made.dims + 1 else 1]
        if self.in_channels % made.groups:
            raise ValueError("in_channels must be divisible by groups")
        first, second = (
            (self.in_channels, self.out_channels) if made.transposed else (self.out_channels, self.in_channels)
        )
        self.weight.materialize((first, second // made.groups, *made.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class _LazyNorm(Lazy):
    """What the six lazy norms share."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(0, *args, **kwargs)
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


def _lazy(base: type[Lazy], layer: type[Module]) -> Any:
    """``Lazy<layer>``."""
    body = {"becomes": layer, "__module__": __name__, "__doc__": f"`{layer.__name__}` whose input size is learned."}
    return type(f"Lazy{layer.__name__}", (base, layer), body)


LazyConv1d, LazyConv2d, LazyConv3d = (
    _lazy(_LazyConvolution, layer) for layer in (convolution.Conv1d, convolution.Conv2d, convolution.Conv3d)
)
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (
    _lazy(_LazyConvolution, layer)
    for layer in (convolution.ConvTranspose1d, convolution.ConvTranspose2d, convolution.ConvTranspose3d)
)
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (
    _lazy(_LazyNorm, layer)
    for layer in (normalisation.BatchNorm1d, normalisation.BatchNorm2d, normalisation.BatchNorm3d)
)
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (
    _lazy(_LazyNorm, layer)
    for layer in (normalisation.InstanceNorm1d, normalisation.InstanceNorm2d, normalisation.InstanceNorm3d)
)
