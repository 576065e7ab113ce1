"""``Refusal``: the error of a training run that the user can correct."""

from __future__ import annotations

# By code, so that a program with readers of its own can say it in their language.
SENTENCES = {
    "number": "{name} is {came}; expected {wanted}",
    "model_unknown": "there is no model {name}; there are {known}",
    "data_missing": "{folder}: {file} or {file}.gz is not there; it is looked for in the folder "
    "itself and in {layouts}",
    "data_foreign": "{path}: not an IDX file of bytes in {ndim} dimension(s)",
    "data_cut": "{path}: the header announces {wanted} bytes, and {came} follow it",
    "data_empty": "{path}: it holds no images",
    "data_unequal": "{path}: {labels} labels for {images} images",
    "data_label": "{path}: it holds the label {label}; the labels go from 0 to {last}",
    "data_shape": "{path}: images of {height} x {width}; expected squares of at least {least} "
    "pixels a side, of the same size for training and testing",
    "checkpoint_broken": "{path}: it is no checkpoint of this program, or a broken one",
    "checkpoint_other": "{path} was trained with {before}; this run uses {wanted}",
    "unreadable": "{path}: it can't be read: {reason}",
    "unwritable": "{path}: it can't be written: {reason}",
    "diverged": "in epoch {epoch} the loss or a weight is no finite number any more, at lr {lr}",
}


class Refusal(ValueError):
    """A training can't begin, or can't go on.

    Attributes:
        code: Which of the sentences says why.
        values: What the sentence speaks of.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(SENTENCES[code].format_map(values))
        self.code = code
        self.values = values
