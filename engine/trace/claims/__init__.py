"""Checks what the narration asserts: every claim against a replay of the trace (law 5).

`verify` returns the claims that do not hold. The checks, a file for each subject, read raw events and replayed state,
never the sentences.
"""

from engine.trace.claims import chapters, graph, passes, program, tensors, training  # noqa: F401 (each registers its checks)
from engine.trace.claims.verify import verify

__all__ = ["verify"]
