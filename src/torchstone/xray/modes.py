"""Modes under which a program can be run again: what changes is what the mode does."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch

MODES = ("grad", "no_grad", "inference_mode", "autocast")


def mode(name: str) -> AbstractContextManager[object]:
    """Return the context of a mode.

    Raises:
        ValueError: There is no such mode.
    """
    if name == "grad":
        return nullcontext()
    if name == "no_grad":
        return torch.no_grad()
    if name == "inference_mode":
        return torch.inference_mode()
    if name == "autocast":
        return torch.autocast("cpu", dtype=torch.bfloat16)
    raise ValueError(f"xray: there is no mode {name!r}; known are {', '.join(MODES)}.")
