"""What one run may spend inside its process, each with its reason. The kernel's limits are the sandbox's business."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Budgets that end a run (work) or fold what is beyond them while the run goes on (steps, bytes)."""

    work: int = 1_000_000
    """Statements reached, with `OPERATION` for each tensor operation and backward node: an endless loop ends at the
    same statement each time, after about half a second, well inside the sandbox's CPU time."""
    steps: int = 5_000
    """Steps kept, about 700 bytes each. A person plays hundreds; what is beyond is counted, not kept."""
    window: int = 1_500
    """Of these, kept for the moment at which a long run's numbers stopped being finite, where there is one."""
    value_bytes: int = 3_000_000
    """Estimated JSON bytes of tensor elements; values beyond it are kept as text and shape only."""
    output: int = 65_536
    """Characters the snippet may print, stdout and stderr together, cut at the write."""
    batch: int = 512
    """Steps that wait at most before they go to the sink."""
    prompt_lines: int = 200
    """Lines that are sent the moment they are first reached."""
    pause: float = 0.002
    """Seconds that steps wait at most at a line, so that a killed run loses little. Decides when, never what."""


OPERATION = 20
"""Work of one tensor operation, in statements: what it costs in time, roughly."""
TURN = 4
"""Operations that one turn of a sequential kernel (a fused LSTM) and its way back cost, roughly."""
ELEMENTS = 100
"""Elements of a result that count as one statement."""
UNWATCHED = 6
"""Further work of a statement once no more steps are kept: its operations are no longer counted one by one."""
CHEAPER = 2
"""How much less a statement costs unwatched; what it cost while it was watched is known."""
