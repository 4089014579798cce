"""``torch.autograd.function``."""

from engine.autograd.function import Function as Function
from engine.autograd.function import FunctionMeta as FunctionMeta
from engine.autograd.function import InplaceFunction as InplaceFunction
from engine.autograd.function import NestedIOFunction as NestedIOFunction
from engine.autograd.function import once_differentiable as once_differentiable
from engine.autograd.function_node import BackwardCFunction as BackwardCFunction
from engine.autograd.function_node import FunctionCtx as FunctionCtx
