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
# What a state by another hand makes those raise who put it back.
_SIGNS_OF_BREAKAGE = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def save(path: Path, kind: str, plan: dict[str, Any], state: dict[str, Any]) -> None:
    """Write a checkpoint in the place of the one that is there.

    Args:
        path: The file; folders above it are made.
        kind: The program that trains.
        plan: What may not be another one where the training goes on: names and plain values.
        state: Tensors, numbers, strings, and lists and dictionaries of them.

    Raises:
        Refusal: It cannot be written; what was there is as it was.
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
        # After success the file is gone; other errors are already reported.
        with suppress(OSError):
            beside.unlink()


def load(path: Path, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a checkpoint: its plan, and its state on the CPU.

    Nothing in the file is called, whatever it holds.

    Raises:
        Refusal: There is none, it cannot be read, or it is broken or of another program.
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
        # What a broken file makes the readers of zip and pickle raise is listed nowhere.
        raise Refusal("checkpoint_broken", path=path) from error
    if not isinstance(held, dict) or (held.get("kind"), held.get("version")) != (kind, VERSION):
        raise Refusal("checkpoint_broken", path=path)
    return held["plan"], held["state"]


@contextmanager
def putting_back(path: Path) -> Iterator[None]:
    """Take it for a sign of a broken checkpoint if its state fits nowhere.

    Raises:
        Refusal: Something was raised that is none.
    """
    try:
        yield
    except Refusal:
        raise
    except _SIGNS_OF_BREAKAGE as error:
        raise Refusal("checkpoint_broken", path=path) from error


def require_same_plan(path: Path, before: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise an error if a training would continue under another plan.

    Raises:
        Refusal: A value differs; the first one that does is named.
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
