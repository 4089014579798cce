"""``FlopCounterMode``: counts while it is entered, by module and operator."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Self

from engine.ops.core.dispatch import TorchDispatchMode
from engine.ops.core.overloads import OpOverload, OpOverloadPacket
from engine.tensor import Tensor
from engine.utils.flops.formulas import FORMULAS
from engine.utils.flops.module_tracker import ModuleTracker

Counts = dict[str, dict[OpOverloadPacket, int]]
SUFFIXES = ("", "K", "M", "B", "T")


class FlopCounterMode(TorchDispatchMode):
    """``with FlopCounterMode() as counter:`` counts the products inside, a backward pass included.

    Args:
        mods: no longer needed.
        depth: down to which level of modules the table goes.
        display: whether to print the table at the end.
        custom_mapping: further operators (``torch.ops.aten.…``), each with a function from shapes to a count.
    """

    __module__ = "torch.utils.flop_counter"

    def __init__(
        self,
        mods: Any = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[OpOverloadPacket, Callable[..., int]] | None = None,
    ) -> None:
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.depth, self.display, self.custom = depth, display, custom_mapping or {}
        self.counts: defaultdict[str, defaultdict[OpOverloadPacket, int]] = defaultdict(lambda: defaultdict(int))
        self.tracker = ModuleTracker()

    def __enter__(self) -> Self:
        self.counts.clear()
        self.tracker.__enter__()
        super().__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        self.tracker.__exit__(*exception)
        if self.display:
            print(self.get_table(self.depth))

    def __torch_dispatch__(self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        packet = func.overloadpacket
        formula = self.custom.get(packet) or FORMULAS.get(packet.__name__)
        if formula is not None:
            count = formula(*map(shape_of, args), **(kwargs or {}), out_shape=shape_of(out))
            for name in self.tracker.parents:
                self.counts[name][packet] += count
        return out

    def get_total_flops(self) -> int:
        """All together."""
        return sum(self.counts["Global"].values())

    def get_flop_counts(self) -> Counts:
        """By module, then by operator; ``Global`` is everything."""
        return {name: dict(self.counts[name]) for name in self.names()}

    def names(self) -> list[str]:
        """``Global``, then the modules."""
        return ["Global", *sorted(name for name in self.counts if name != "Global")]

    def get_table(self, depth: int | None = None) -> str:
        """As text: a line per module, and per operator in it."""
        depth = self.depth if depth is None else depth
        total = self.get_total_flops()
        scale = max(0, min(len(SUFFIXES) - 1, (len(str(total)) - 2) // 3))
        rows = []
        for name in self.names():
            level = 0 if name == "Global" else name.count(".") + 1
            if level > depth:
                continue
            counts = self.counts[name]
            rows.append((" " * level + name, sum(counts.values())))
            rows += [(" " * level + f" - {packet}", count) for packet, count in counts.items()]
        lines = [("Module", "FLOP", "% Total")]
        for label, count in rows:
            amount = f"{count / 1000**scale:.3f}" if scale else str(count)
            lines.append((label, amount + SUFFIXES[scale], f"{count / total * 100 if total else 0.0:.2f}%"))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        label_width, amount_width, share_width = widths
        lines.insert(1, ("-" * label_width, "-" * amount_width, "-" * share_width))
        return "\n".join(f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}" for a, b, c in lines)


def shape_of(value: Any) -> Any:
    """Shapes in the place of tensors."""
    if isinstance(value, Tensor):
        return value.shape
    return tuple(map(shape_of, value)) if isinstance(value, list | tuple) else value
