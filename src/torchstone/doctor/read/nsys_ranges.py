"""Classify NVTX ranges by their text: PyTorch operators, or names chosen by the program.

``torch.autograd.profiler.emit_nvtx`` pushes a range for each operator, such as
``aten::mm, seq = 3, op_id = 17, sizes = [[2, 3], [3, 4]]``. All other names are free.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from torchstone.doctor.events import NONE
from torchstone.doctor.read.kinds import Kind, kind_of

# PyTorch writes no number with more digits.
_MOST_DIGITS = 18
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAMESPACED = re.compile(r"^[A-Za-z_][\w.]*::\S")
# Names with ``op_id`` but without namespace or sequence number that PyTorch emits.
_FUNCTION = re.compile(
    r"Backward\d*$|^(record_param_comms|detach_?)$|^(triton_\w+_fused|Torch-Compiled Region)"
)
_USERS = re.compile(r"^(FSDP::|nccl:|Optimizer\.|DistributedDataParallel\.)")

_LOADER_WORDS = {"dataloader", "dataloading", "loader"}
_FETCHING_WORDS = {"load", "loading", "fetch", "fetching", "next", "get", "wait"}
_NOT_LOADING_WORDS = {
    *("build", "checkpoint", "copy", "create", "cuda", "device", "gpu", "init", "model", "move"),
    *("setup", "state", "transfer", "upload", "weights", "worker"),
}
_OPTIMIZER_WORDS = {"optimizer", "optim", "opt"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Emitted:
    """Contents of a range's text.

    Attributes:
        name: Operator, or the program's name of the range.
        sequence: Number shared by a forward operator and its backward operator, or ``NONE``.
        operator: Id of the operator call, or ``NONE``.
        sizes: Input shapes, as JSON; empty if there are none.
    """

    name: str
    sequence: int
    operator: int
    sizes: str


def parse(text: str) -> Emitted:
    """Parse the text of a range.

    >>> parse("aten::mm, seq = 3, op_id = 17, sizes = [[2, 3], [3, 4]]").sizes
    '[[2, 3], [3, 4]]'
    """
    head, _, _ = text.partition(", input_op_ids = ")
    head, _, sizes = head.partition(", sizes = ")
    head, _, operator = head.partition(", op_id = ")
    name, _, sequence = head.partition(", seq = ")
    found = Emitted(
        name=name, sequence=_whole(sequence), operator=_whole(operator), sizes=sizes.strip()
    )
    # PyTorch emits no name that contains a comma.
    return found if found.operator != NONE or found.sequence != NONE or sizes else _plain(text)


def kind_of_range(name: str, *, has_sequence: bool) -> Kind:
    """Return the kind of a range according to its name."""
    is_function = has_sequence or bool(_NAMESPACED.search(name) or _FUNCTION.search(name))
    if is_function and not _USERS.search(name):
        return kind_of("cpu_op", name)
    kind = kind_of("user_annotation", name)
    if kind != Kind.ANNOTATION:
        return kind
    words = words_of(name)
    if _is_loader(name, words):
        return Kind.LOADER
    is_update = words & _OPTIMIZER_WORDS and words <= _OPTIMIZER_WORDS | {"step", "update", "run"}
    return Kind.OPTIMIZER if is_update else kind


def _is_loader(name: str, words: set[str]) -> bool:
    if words & _NOT_LOADING_WORDS:
        return False
    if words & _LOADER_WORDS or name.strip().lower() == "data":
        return True
    return bool(words & {"data", "batch"} and words & _FETCHING_WORDS)


def words_of(name: str) -> set[str]:
    """Return the words of a name in lower case: ``trainStep_3`` has two."""
    return {word.lower() for word in _WORD.findall(name)}


def _plain(text: str) -> Emitted:
    return Emitted(name=text, sequence=NONE, operator=NONE, sizes="")


def _whole(text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else NONE
