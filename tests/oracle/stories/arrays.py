"""Stories about numpy's arrays beside tensors: who calculates, and what comes out."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "eq", "ne", "lt", "ge")


def arrays_take_part_by_numpys_rules(torch: Any, say: Any) -> None:
    for name in OPERATORS:
        call: Any = getattr(operator, name)
        for array in (np.array([1.0, 3.0]), np.array([1, 3]), np.array([1.0, 3.0], np.float32)):
            for tensor in (
                torch.tensor([2.0, 3.0]),
                torch.tensor([2, 3]),
                torch.tensor([2.0, 3.0], requires_grad=True),
            ):
                say(name, str(array.dtype), tensor.dtype)
                say.error(lambda f=call, t=tensor, a=array: f(t, a))
                say.error(lambda f=call, t=tensor, a=array: f(a, t))


def numpys_numbers_are_numbers(torch: Any, say: Any) -> None:
    tensor, whole = torch.tensor([2.0, 3.0]), torch.tensor([6, 3])
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "lt"):
        call: Any = getattr(operator, name)
        for number in (np.float32(2), np.float64(2), np.int64(2)):
            say(name, type(number).__name__)
            say(call(tensor, number), call(number, tensor), call(whole, number))
    say(whole & np.int64(3), whole | np.int64(8), whole ^ np.int64(1))


def an_array_does_not_write_into_a_tensor(torch: Any, say: Any) -> None:
    tensor, array = torch.ones(2), np.array([1.0, 2.0])
    before = tensor
    tensor += array
    say(tensor, tensor is before)
    tensor = torch.ones(2)

    def add_to_array() -> Any:
        nonlocal array
        array += tensor
        return array

    say.error(add_to_array)


def numpys_reductions_are_refused(torch: Any, say: Any) -> None:
    tensor = torch.tensor([1.0, 2.0])
    for name in ("sum", "mean", "max", "min", "prod"):
        say(name)
        say.error(lambda n=name: getattr(np, n)(tensor))
    for name in ("argmax", "round", "clip", "sqrt", "abs", "exp"):
        say(name)
        say.error(lambda n=name: getattr(np, n)(tensor, *((0, 1) if n == "clip" else ())))


def lists_of_arrays_become_tensors(torch: Any, say: Any) -> None:
    row = np.ones(2)
    say(torch.tensor([row, row]), torch.tensor([np.array([1, 2]), [3, 4]]), torch.FloatTensor([row, row]))
    say(torch.tensor([np.ones((2, 2), np.float32)] * 2), torch.as_tensor((row, row)), torch.tensor([np.float32(1), 2]))
    say.error(lambda: torch.tensor([row, np.ones(3)]))
    say.error(lambda: torch.stack([row, row]))
    say.error(lambda: torch.cat([torch.ones(2), row]))
