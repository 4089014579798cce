"""Narration: every step gets its sentences, generated from the trace's own numbers, each with the claim it makes."""

from engine.trace.narration.chapters import divide
from engine.trace.narration.narrate import narrate

__all__ = ["divide", "narrate"]
