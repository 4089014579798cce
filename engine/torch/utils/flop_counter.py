"""``torch.utils.flop_counter``: counts additions and multiplications."""

from engine.torch.missing import module_getattr
from engine.utils.flops.counter import FlopCounterMode as FlopCounterMode
from engine.utils.flops.formulas import (
    addmm_flop,
    baddbmm_flop,
    bmm_flop,
    conv_backward_flop,
    conv_flop,
    conv_flop_count,
    mm_flop,
)

__all__ = [
    "FlopCounterMode", "addmm_flop", "baddbmm_flop", "bmm_flop", "conv_backward_flop", "conv_flop", "conv_flop_count", "mm_flop",
]  # fmt: skip

__getattr__ = module_getattr("torch.utils.flop_counter", globals())
