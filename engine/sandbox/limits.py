"""What a run may use: every limit is data, with its unit and its reason beside the number.

The recorder's own budgets (lines, steps, output) are the first fence, because they hit at the same step every time;
what stands here is the second fence, kept by the kernel and by the host.
"""

from __future__ import annotations

import dataclasses
from typing import Any, cast

KIB = 1 << 10
MIB = 1 << 20


def limit(number: float, unit: str, reason: str) -> Any:
    """Declares one limit: its default, its unit and why it is what it is."""
    return dataclasses.field(default=number, metadata={"unit": unit, "reason": reason})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """All limits of a run. Build another one to change a number; nothing reads a limit from elsewhere."""

    code_bytes: int = limit(64 * KIB, "bytes", "a lesson is under 4 KiB; a long training script is under 30")
    wall_seconds: float = limit(5.0, "seconds", "a person waits this long before they think the page is broken")
    cpu_seconds: int = limit(
        2, "seconds", "a run that spends the recorder's budgets takes about 1 s; SIGXCPU there, SIGKILL a second later"
    )
    memory_bytes: int = limit(
        512 * MIB, "bytes above the warm child", "64 runs fit a 32 GiB host; a 5,000² float32 matrix is 100 MB"
    )
    stack_bytes: int = limit(8 * MIB, "bytes", "the usual stack: Python's own recursion limit hits first")
    descriptors: int = limit(
        5, "open files", "0-2 are /dev/null, 3 is the answer, 4 is the question; there is no sixth"
    )
    pending_signals: int = limit(16, "signals", "nothing here queues signals; 0 would break the kernel's own timers")
    journal_bytes: int = limit(24 * MIB, "bytes", "20,000 steps of about 1 KB; pages are only taken when written")
    document_bytes: int = limit(
        16 * MIB,
        "bytes",
        "12,000 steps with their words take 7.5 MB; twice that leaves room and still parses in a browser",
    )
    steps: int = limit(20_000, "steps", "the recorder folds far earlier; more cannot be stepped through by a person")
    rows: int = limit(20_000, "rows per table", "each node, tensor or scope needs a step to appear")
    string_characters: int = limit(256 * KIB, "characters", "the longest honest text is the output, capped at 64 KiB")
    stdout_characters: int = limit(64 * KIB, "characters", "more cannot be read; the recorder cuts it at the write")
    elements: int = limit(
        4096, "numbers per value", "a value is shown whole up to far fewer, above it as a 16 × 16 thumbnail"
    )
    formula_depth: int = limit(
        64, "levels", "deeper than any derivative in the catalogue, far above the C stack's need"
    )
    runs_per_zygote: int = limit(1000, "runs", "bounds what a slow leak in the parent of all runs could add up to")
    start_seconds: float = limit(
        60.0, "seconds", "importing numpy takes 0.2 s; a cold, busy disk takes a hundred times that"
    )
    stop_seconds: float = limit(
        3.0, "seconds", "a killed child is gone in milliseconds; later means that the zygote is stuck"
    )

    @classmethod
    def described(cls) -> list[tuple[str, float, str, str]]:
        """Name, default, unit and reason of every limit, for the documentation and for the test that demands them."""
        return [
            (field.name, cast(float, field.default), field.metadata["unit"], field.metadata["reason"])
            for field in dataclasses.fields(cls)
        ]
