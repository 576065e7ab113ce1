"""``Refusal``: the error of a model program that the user can correct."""

from __future__ import annotations

# By code, so that a program with readers of its own can say it in their language.
SENTENCES = {
    "number": "{name} is {came}; expected {wanted}",
    "choice": "{name} is {came}; expected {wanted}",
    "text_short": "{path} has {came} tokens; expected at least {wanted}, because "
    "a part is held out for measuring",
    "text_empty": "the text to continue is empty; expected at least one character",
    "unreadable": "{path}: it can't be read: {reason}",
    "unwritable": "{path}: it can't be written: {reason}",
    "checkpoint_broken": "{path}: it is no checkpoint of this program, or a broken one",
    "checkpoint_other": "{path} was trained with {name} {before}; this run uses {wanted}",
    "checkpoint_missing": "{path}: there is no checkpoint; train one first",
    "part_missing": "{name} is not installed, which {what} needs: pip install {name}",
    "card_missing": "{what} needs a card that Triton serves; there is none",
    "diverged": "in step {step} the loss is no finite number any more, at lr {lr}",
}


class Refusal(ValueError):
    """A program can't begin, or can't go on.

    Attributes:
        code: Which of the sentences says why.
        values: What the sentence speaks of.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(SENTENCES[code].format_map(values))
        self.code = code
        self.values = values


def reason_of(error: Exception) -> str:
    """Return what the system says of an error, without the path, which the sentence has already."""
    return getattr(error, "strerror", None) or str(error)
