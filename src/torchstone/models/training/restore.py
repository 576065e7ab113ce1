"""Restore a model and its training configuration from a checkpoint."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from torchstone.models import training_checkpoint
from torchstone.models.language import LanguageModel
from torchstone.models.training import saved
from torchstone.models.training.plan import FREE, Plan, build, checkpoint_in


def plan_to_go_on(given: dict[str, Any]) -> Plan:
    """Complete a plan with the values of the checkpoint in its folder.

    Args:
        given: The requested values, by field name; the start of the training checks that they match
            the checkpoint.

    Raises:
        Refusal: The checkpoint is invalid or of an earlier version, or a value is out of range.
    """
    path = checkpoint_in(given.get("folder", Plan().folder))
    before: dict[str, Any] = {}
    if saved.is_saved(path) or saved.old_of(path).exists():
        values = saved.read_values(path)
        with training_checkpoint.putting_back(path):
            before = _known(values["plan"], values["text"])
    if given.get("accumulate", 1) > 1:
        # Both specify the micro-batch size; the requested one is later compared with the saved one.
        before.pop("micro_batch", None)
    return Plan(**(before | given))


def restore(folder: Path) -> tuple[LanguageModel, Plan]:
    """Return the model of the checkpoint in a folder, and its plan.

    Raises:
        Refusal: There is no checkpoint, or it is invalid.
    """
    path = checkpoint_in(folder)
    if not saved.is_saved(path) and saved.old_of(path).exists():
        return _restore_old(saved.old_of(path), folder)
    values = saved.read_values(path)
    with training_checkpoint.putting_back(path):
        plan = Plan(**_known(values["plan"], values["text"]), folder=folder)
        model = build(plan)
    saved.load_model(path, model)
    return model, plan


def _restore_old(path: Path, folder: Path) -> tuple[LanguageModel, Plan]:
    before, state = training_checkpoint.load(path, saved.KIND)
    with training_checkpoint.putting_back(path):
        plan = Plan(**_known(before, state["text"]), folder=folder)
        model = build(plan)
        model.load_state_dict(state["model"])
    return model, plan


def _known(before: dict[str, Any], text: str | None) -> dict[str, Any]:
    """Return the saved values of a plan; an earlier version has fewer."""
    names = {each.name for each in fields(Plan)} - {*FREE, "text"}
    new = {"micro_batch", "order"} - before.keys()
    return {name: before[name] for name in names - new} | {
        "text": None if text is None else Path(text)
    }
