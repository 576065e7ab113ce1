"""Training checkpoints in one file: atomic writes and safe loading."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch

from torchstone.models.refusal import Refusal, reason_of

VERSION = 1
# Errors while restoring a state of unknown origin.
_SIGNS_OF_BREAKAGE = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def save(path: Path, kind: str, plan: dict[str, Any], state: dict[str, Any]) -> None:
    """Write a checkpoint, replacing an existing one atomically.

    Args:
        path: The file; missing parent folders are created.
        kind: The program that trains.
        plan: Names and plain values that must not change when the training is resumed.
        state: Tensors, numbers, strings, and lists and dictionaries of them.

    Raises:
        Refusal: The file cannot be written; the previous one stays intact.
    """
    beside = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as file:
            torch.save({"kind": kind, "version": VERSION, "plan": plan, "state": state}, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise Refusal("unwritable", path=path, reason=reason_of(error)) from error
    finally:
        # After success the file no longer exists; other errors have already been reported.
        with suppress(OSError):
            beside.unlink()


def load(path: Path, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Load a checkpoint; return its plan and its state, on the CPU.

    Nothing in the file is executed.

    Raises:
        Refusal: There is no checkpoint, it cannot be read, or it is invalid or of another program.
    """
    try:
        with zipfile.ZipFile(path) as file:
            if file.testzip() is not None:
                raise Refusal("checkpoint_broken", path=path)
        held = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise Refusal("checkpoint_missing", path=path) from error
    except OSError as error:
        raise Refusal("unreadable", path=path, reason=reason_of(error)) from error
    except Refusal:
        raise
    except Exception as error:
        # The errors that the readers of zip and pickle raise for invalid files are not documented.
        raise Refusal("checkpoint_broken", path=path) from error
    if not isinstance(held, dict) or (held.get("kind"), held.get("version")) != (kind, VERSION):
        raise Refusal("checkpoint_broken", path=path)
    return held["plan"], held["state"]


@contextmanager
def putting_back(path: Path) -> Iterator[None]:
    """Convert errors while restoring a state to that of an invalid checkpoint.

    Raises:
        Refusal: An error was raised in the block.
    """
    try:
        yield
    except Refusal:
        raise
    except _SIGNS_OF_BREAKAGE as error:
        raise Refusal("checkpoint_broken", path=path) from error


def require_same_plan(path: Path, before: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise an error if a training would continue with another plan.

    Raises:
        Refusal: A value differs; the first one is named.
    """
    for name in sorted(before.keys() | wanted.keys()):
        if before.get(name) != wanted.get(name):
            raise Refusal(
                "checkpoint_other",
                path=path,
                name=name,
                before=before.get(name),
                wanted=wanted.get(name),
            )
