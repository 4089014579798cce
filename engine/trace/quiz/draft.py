"""A question in the making: one right choice, and wrong ones that are surely wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.trace.document import Choice, Question
from engine.trace.marks import marked
from engine.trace.narration.telling import begun
from engine.trace.values import spelled

CHOICES = 4
"""Most choices of a question."""


@dataclass(slots=True)
class Draft:
    """Collects choices; a wrong one that reads like another choice is left out."""

    kind: str
    prompt: str
    step: int
    choices: list[Choice] = field(default_factory=list)
    quotes: bool = False
    """Whether the prompt quotes an error's message, which stays as it is; its code is marked already."""

    def right(self, text: str, why: str, step: int | None = None) -> None:
        """The right choice; said first."""
        self.choices.insert(0, Choice(text, True, begun(marked(why)), self.step if step is None else step))

    def wrong(self, text: str, why: str, step: int | None = None) -> None:
        """A misconception, and what refutes it."""
        if len(self.choices) < CHOICES and all(choice.text != text for choice in self.choices):
            self.choices.append(Choice(text, False, begun(marked(why)), self.step if step is None else step))

    def wrong_number(self, number: float | None, why: str, step: int | None = None) -> None:
        """The same for a number, which must also differ from the right one by more than rounding."""
        if number is None or number != number:
            return
        right = float(self.choices[0].text.replace("−", "-"))
        if abs(number - right) > 1e-3 * max(1.0, abs(right)):
            self.wrong(spelled(float(number) + 0.0), why, step)  # never −0

    @property
    def full(self) -> bool:
        """Whether no more choices are taken."""
        return len(self.choices) >= CHOICES

    def question(self) -> Question | None:
        """The question; None with fewer than three choices. The right one's place depends on the step alone."""
        if len(self.choices) < CHOICES - 1:
            return None
        right, *others = self.choices
        place = self.step % len(self.choices)
        prompt = self.prompt if self.quotes else marked(self.prompt)
        return Question(self.kind, prompt, [*others[:place], right, *others[place:]], self.step)
