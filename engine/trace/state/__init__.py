"""What is true after each step: the replay that narration, claims, diagnosis and questions read.

`State.advance` applies one step. It knows no words and looks at nothing but the trace, in order. A `moment` is what is
known at one step, `effects` say how each kind of event changes it.
"""

from engine.trace.state.replay import State

__all__ = ["State"]
