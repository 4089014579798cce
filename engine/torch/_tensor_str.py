"""``torch._tensor_str``: the options by which tensors print, where people look them up."""

from engine.printing import get_printoptions as get_printoptions
from engine.printing import options as PRINT_OPTS
from engine.printing import printoptions as printoptions
from engine.printing import set_printoptions as set_printoptions
