"""``torch.utils.data._utils.collate``."""

from engine.torch.missing import module_getattr as _module_getattr
from engine.utils.data.collate import (
    collate,
    collate_float_fn,
    collate_int_fn,
    collate_numpy_array_fn,
    collate_numpy_scalar_fn,
    collate_str_fn,
    collate_tensor_fn,
    default_collate,
    default_collate_fn_map,
    default_convert,
)

__getattr__ = _module_getattr("torch.utils.data._utils.collate", globals())
