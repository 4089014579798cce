"""Labels: what to call each tensor, from the finished trace.

`label` goes by names and source text, `operands` by what an operation's source calls its arguments, `inner` by what a
pass or a transform did inside of the engine. `shortening` cuts source text to what still reads as a name.
"""

from engine.trace.labels.label import label

__all__ = ["label"]
