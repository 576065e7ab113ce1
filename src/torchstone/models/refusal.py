"""``Refusal``: the error of a model program that the user can correct."""

from __future__ import annotations

# Message templates by code, so that a program can translate them.
SENTENCES = {
    "number": "{name} is {came}; expected {wanted}",
    "choice": "{name} is {came}; expected {wanted}",
    "text_short": "{path} has {came} tokens; expected at least {wanted}, because "
    "a part is held out for measuring",
    "text_empty": "the text to continue is empty; expected at least one character",
    "unreadable": "{path} cannot be read: {reason}",
    "unwritable": "{path} cannot be written: {reason}",
    "checkpoint_broken": "{path} is not a checkpoint of this program, or is damaged",
    "checkpoint_other": "{path} was trained with {name} {before}; this run uses {wanted}",
    "checkpoint_old": "{path} is of an earlier version: it can be sampled, but not trained on",
    "compile_sharded": "--compile and zero3 exclude each other: code that is compiled around "
    "parameters that come and go differs in the last bits",
    "checkpoint_missing": "there is no checkpoint {path}; train a model first",
    "part_missing": "{what} needs {name}, which is not installed: pip install {name}",
    "card_missing": "{what} needs a GPU that Triton supports; there is none",
    "diverged": "in step {step} the loss is not finite, at lr {lr}",
}


class Refusal(ValueError):
    """Error that the user can correct: a program cannot start or continue.

    Attributes:
        code: The key of the message template.
        values: The values in the message.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(SENTENCES[code].format_map(values))
        self.code = code
        self.values = values


def reason_of(error: Exception) -> str:
    """Return the system's description of an error, without the path."""
    return getattr(error, "strerror", None) or str(error)
