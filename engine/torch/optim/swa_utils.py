"""``torch.optim.swa_utils``."""

from engine.optim.swa_utils import (
    SWALR,
    AveragedModel,
    get_ema_avg_fn,
    get_ema_multi_avg_fn,
    get_swa_avg_fn,
    get_swa_multi_avg_fn,
    update_bn,
)
from engine.torch.missing import module_getattr as _module_getattr

__getattr__ = _module_getattr("torch.optim.swa_utils", globals())
