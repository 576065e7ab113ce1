"""Restore a model and its training configuration from a checkpoint."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from torchstone.models import training_checkpoint
from torchstone.models.language import LanguageModel
from torchstone.models.training.loop import KIND
from torchstone.models.training.plan import FREE, Plan, build, checkpoint_in


def plan_to_go_on(given: dict[str, Any]) -> Plan:
    """Complete a plan with the values of the checkpoint in its folder.

    Args:
        given: The requested values, by the plan's names; the start of the training checks that they
            agree.

    Raises:
        Refusal: The checkpoint is broken, or a value is out of its range.
    """
    path = checkpoint_in(given.get("folder", Plan().folder))
    before = {}
    if path.exists():
        held = training_checkpoint.load(path, KIND)
        with training_checkpoint.putting_back(path):
            before = _known(*held)
    return Plan(**(before | given))


def restore(folder: Path) -> tuple[LanguageModel, Plan]:
    """Return the model of the checkpoint in a folder, and its plan.

    Raises:
        Refusal: There is none, or it is broken.
    """
    path = checkpoint_in(folder)
    before, state = training_checkpoint.load(path, KIND)
    with training_checkpoint.putting_back(path):
        plan = Plan(**_known(before, state), folder=folder)
        model = build(plan)
        model.load_state_dict(state["model"])
    return model, plan


def _known(before: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    names = {each.name for each in fields(Plan)} - {*FREE, "text"}
    text = None if state["text"] is None else Path(state["text"])
    return {name: before[name] for name in names} | {"text": text}
