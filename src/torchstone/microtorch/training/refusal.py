"""``Refusal``: the error of a training run that the user can correct."""

from __future__ import annotations

# Message templates by code, so that a program can translate them.
SENTENCES = {
    "number": "{name} is {came}; expected {wanted}",
    "model_unknown": "unknown network {name}; expected {known}",
    "data_missing": "{folder} has no {file} or {file}.gz; searched: the folder itself "
    "and {layouts}",
    "data_foreign": "{path} is not an IDX file of bytes in {ndim} dimension(s)",
    "data_cut": "{path}: the header announces {wanted} bytes, and {came} follow it",
    "data_empty": "{path} has no images",
    "data_unequal": "{path} has {labels} labels for {images} images",
    "data_label": "{path} has the label {label}; expected 0 to {last}",
    "data_shape": "{path} has images of {height} x {width}; expected squares of at least {least} "
    "pixels a side, of the same size for training and testing",
    "checkpoint_broken": "{path} is not a checkpoint of this program, or is damaged",
    "checkpoint_other": "{path} was trained with {before}; this run uses {wanted}",
    "unreadable": "{path} cannot be read: {reason}",
    "unwritable": "{path} cannot be written: {reason}",
    "diverged": "in epoch {epoch} the loss or a weight is not finite, at lr {lr}",
}


class Refusal(ValueError):
    """Error that the user can correct: a training cannot start or continue.

    Attributes:
        code: The key of the message template.
        values: The values in the message.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(SENTENCES[code].format_map(values))
        self.code = code
        self.values = values
