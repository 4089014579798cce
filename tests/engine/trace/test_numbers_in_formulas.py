"""The formula of every operator's derivative, with the numbers of its own calls in, gives the gradient that was sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from engine.ops.core import catalogue
from engine.ops.core.operator import Operator
from engine.trace import derivatives
from engine.trace import formula as formulas
from engine.trace.derivatives.readings import STANDS_FOR
from engine.trace.narration.parameters import MISSING, tidy
from engine.trace.narration.symbols import complete
from engine.trace.parts import Formula
from engine.trace.play import play
from engine.trace.recording.saving import plain_text
from tests.engine.trace.explanations.calls import Call, calls
from tests.engine.trace.untold import UNCOUNTED, UNREAD

CLOSE = 1e-6
READS_AS_REAL = ("Re", "Im", "view_as_real")


class Filling:
    """What stands for the names of one derivative in one call."""

    def __init__(self, call: Call, argument: str, smooth: bool) -> None:
        self.call, self.argument, self.smooth = call, argument, smooth
        self.values: dict[str, Any] = {}

    def leaf(self, parameter: str) -> Formula | None:
        """As a trace's narrator does it (`engine.trace.narration.symbols`), from the call's own numbers."""
        call = self.call
        if parameter.endswith(".conj()"):
            made = self.leaf(parameter.removesuffix(".conj()"))
            if made is None or (made.kind == "name" and not np.iscomplexobj(self.values[made.text])):
                return made
            return formulas.conjugate(made)
        if parameter.startswith("'"):
            return self.symbol(parameter[1:-1])
        if parameter == "grad":
            return self.named("grad", call.g)
        if parameter == "grads":
            return formulas.call("cat", *(self.named(f"grad{n}", grad) for n, grad in enumerate(call.incoming)))
        if parameter.startswith("grads["):
            place = int(parameter[len("grads[") : -1])
            return self.named(f"grad{place}", call.incoming[place]) if place < len(call.incoming) else None
        return self.result(parameter) or self.given(parameter) or self.plain(parameter)

    def named(self, name: str, value: Any) -> Formula:
        made = formulas.name(name)
        self.values[made.text] = value
        return made

    def symbol(self, symbol: str) -> Formula | None:
        """x̂ and the like, computed by their definition."""
        definition = STANDS_FOR.get(self.call.operator.name, {}).get(symbol)
        built = complete(formulas.build(definition[0], self.leaf)) if definition is not None else None
        return None if built is None else self.named(symbol, formulas.evaluate(built, self.values))

    def result(self, parameter: str) -> Formula | None:
        results, outputs = self.call.results, self.call.operator.outputs
        if parameter in outputs:
            return self.named(parameter, results[outputs.index(parameter)])
        number = parameter.removeprefix("result")
        if parameter == "result" or (
            parameter.startswith("result") and number.isdigit() and int(number) < len(results)
        ):
            return self.named(parameter, results[int(number or 0)])
        return None

    def given(self, parameter: str) -> Formula | None:
        if parameter not in self.call.arguments:
            return None
        value = self.call[parameter]
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], np.ndarray):
            return self.named(parameter, value[0])
        if isinstance(value, list) and any(isinstance(part, np.ndarray) for part in value):
            return formulas.words("there")
        return (
            self.named(parameter, value) if isinstance(value, np.ndarray) else formulas.number(tidy(plain_text(value)))
        )

    def plain(self, parameter: str) -> Formula:
        """What is read off shapes."""
        call = self.call
        source = call.arguments.get("self", call.x)
        counted = source.size // max(1, call.results[-1].size) if isinstance(source, np.ndarray) else 0
        correction = call.arguments.get("correction")
        told: dict[str, Any] = {
            "smooth": self.smooth,
            "averaged_numel": counted,
            "degrees_of_freedom": counted - (1 if correction is None else correction),
            "position": int(self.argument.partition("[")[2].rstrip("]") or 0),
            "is_square": len(set(np.shape(source)[-2:])) == 1,
            "is_vector": np.ndim(call.arguments.get("A", 0)) > np.ndim(call.result),
            "crops": any(part < 0 for part in call.arguments.get("pad", ())),
            "only_grads_0": len(call.incoming) == 1,
            "only_grads_1": len(call.incoming) == 1,
            "alpha": 1,
            "beta": 1,
        }
        for suffix in ("_sym_sizes", "_sym_numel", "_sizes", "_shape", "_numel", "_is_complex"):
            tensor = call.arguments.get(parameter.removesuffix(suffix))
            if parameter.endswith(suffix) and isinstance(tensor, np.ndarray):
                kinds = {"_is_complex": np.iscomplexobj(tensor), "_numel": tensor.size, "_sym_numel": tensor.size}
                return formulas.number(str(kinds.get(suffix, list(tensor.shape))))
        if parameter == "extent":
            return formulas.words("its part")
        return formulas.number(tidy(str(told[parameter]))) if parameter in told else MISSING


def gradients(call: Call) -> Iterator[tuple[str, Any]]:
    """Each argument (its place in a list) with what was sent to it."""
    for name, sent in call.sent.items():
        yield from ((f"{name}[{n}]", one) for n, one in enumerate(sent)) if isinstance(sent, list) else ((name, sent),)


def text_of(call: Call, argument: str) -> str:
    text = derivatives.texts(call.operator).get(argument.partition("[")[0], "")
    is_complex = bool(call.tracked) and np.iscomplexobj(call.tracked[0])
    return derivatives.conjugated(text) if is_complex and call.operator.holomorphic else text


def told(call: Call, argument: str, sent: Any) -> tuple[bool | None, str]:
    """Whether the formula gives what was sent, and the formula; None where there is none, or it is not all arithmetic."""
    text = text_of(call, argument)
    agrees, shown = None, ""
    for smooth in (True, False) if " if smooth else " in text else (True,):
        filling = Filling(call, argument, smooth)
        try:
            built = complete(formulas.build(text, filling.leaf))
        except ValueError:  # a symbol that these numbers do not define
            return None, ""
        if built is None:
            return None, ""
        from_complex = bool(call.tracked) and np.iscomplexobj(call.tracked[0])
        if from_complex and not np.iscomplexobj(sent) and built.text not in READS_AS_REAL:
            built = formulas.call("Re", built)
        shown = formulas.plain(built)
        for form in (built, formulas.total(built)):  # what was stretched gets the sum over its copies
            agrees = formulas.gives(form, sent, CLOSE, filling.values)
            if agrees:
                return True, shown
    return agrees, shown


def small(call: Call) -> bool:
    """Whether its numbers stay within a matrix, and are finite."""
    arrays = [*call.tracked, *call.arguments.values()]
    within = all(array.ndim <= 2 for array in arrays if isinstance(array, np.ndarray))
    return within and call.is_sound() and not any(array.size == 0 for array in call.results)


def spoken() -> list[Operator]:
    return [operator for operator in catalogue.operators() if operator.differentiable]


@pytest.fixture(autouse=True, scope="module")
def read() -> None:
    play("import torch")  # the drop-in reads all derivatives


@pytest.mark.parametrize("operator", spoken(), ids=lambda operator: operator.class_name)
@pytest.mark.filterwarnings("ignore")
def test_no_formula_of_an_operator_is_false_of_its_own_calls(operator: Operator) -> None:
    with np.errstate(all="ignore"):
        for call in filter(small, calls()[operator]):
            for argument, sent in gradients(call):
                if sent is not None:
                    agrees, formula = told(call, argument, sent)
                    assert agrees is not False, f"{operator.name} sends {sent} to {argument}, which is not {formula}"


@pytest.mark.filterwarnings("ignore")
def test_what_is_told_without_numbers_is_listed_with_its_reason() -> None:
    without: set[str] = set()
    sending: set[str] = set()
    with np.errstate(all="ignore"):
        for operator in spoken():
            held = [call for call in calls()[operator] if not call.refused]
            sent = {argument for call in held for argument, grad in gradients(call) if grad is not None}
            counted = {
                argument
                for call in held
                for argument, grad in gradients(call)
                if grad is not None and told(call, argument, grad)[0]
            }
            if sent:
                sending.add(operator.name)
            if sent - counted:
                without.add(operator.name)
    assert without == {*UNREAD, *UNCOUNTED} & sending
    assert set(UNCOUNTED) <= sending
    assert all(UNCOUNTED.values())
