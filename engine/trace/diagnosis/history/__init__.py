"""A trace turned over once: for each tensor what made it, who used it, and what became of its gradient.

`tables` are what is noted, `entries` say what each kind of event adds to them, and a `History` answers from them.
"""

from engine.trace.diagnosis.history.history import History
from engine.trace.diagnosis.history.tables import Pass

__all__ = ["History", "Pass"]
