"""Questions made from a trace: its own numbers, with the known misconceptions applied to them as wrong choices."""

from engine.trace.quiz.make import ask

__all__ = ["ask"]
