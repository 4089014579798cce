"""``torch._C._functions``: the nodes that are no operator's."""

from engine.autograd.accumulate_grad import AccumulateGrad as AccumulateGrad
from engine.autograd.delayed_error import DelayedError as DelayedError
from engine.autograd.delayed_error import Error as Error
from engine.autograd.undefined_gradient import UndefinedGrad as UndefinedGrad
from engine.ops.layout.view_writes import CopySlices as CopySlices
from engine.ops.tensors.moves import copy as _copy

CopyBackwards = _copy.node_type
