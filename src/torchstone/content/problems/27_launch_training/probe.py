"""Read what a training has left in its folder; and write data for a command that is typed."""

from __future__ import annotations

import json
import os
from typing import Any

import torch

FILES = ("model.pt", "metrics.jsonl")
LINES_CAP = 100


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Look at the folder; the submission is not loaded in this process."""
    if data.get("part") == "prepare":
        return write_data(os.path.join(os.path.dirname(data["folder"]), "data.pt"))
    return {**read_model(data["folder"], tools), **read_metrics(data["folder"])}


def write_data(path: str) -> dict[str, Any]:
    """Write 40 samples of three classes."""
    generator = torch.Generator().manual_seed(27)
    y = torch.arange(40) % 3
    noise = torch.randn(40, 4, generator=generator, dtype=torch.float64)
    torch.save({"x": noise + y[:, None], "y": y}, path)
    return {}


def read_model(folder: str, tools: Any) -> dict[str, Any]:
    """Return the tensors of model.pt, or why it cannot be read."""
    read = tools.attempt(lambda: torch.load(os.path.join(folder, FILES[0]), weights_only=True))
    if "raised" in read:
        return {"model.error": f"{read['raised']['type']}: {read['raised']['message']}"[:300]}
    state = read["value"]
    if isinstance(state, dict):
        # A state_dict may hold the parameters themselves (keep_vars=True).
        state = {key: _without_graph(item) for key, item in state.items()}
    if not isinstance(state, dict) or not all(map(tools.is_plain, state.values())):
        return {"model.error": f"not a state_dict of tensors: {type(state).__name__}"}
    found: dict[str, Any] = {"model.error": None, "model.keys": [str(key)[:80] for key in state]}
    return found | {f"model:{key}": tools.sendable(item) for key, item in state.items()}


def read_metrics(folder: str) -> dict[str, Any]:
    """Return the lines of metrics.jsonl as pairs of epoch and loss, or why they cannot be read."""
    try:
        with open(os.path.join(folder, FILES[1]), encoding="utf-8") as file:
            lines = file.read(1 << 20).splitlines()
        read = [json.loads(line) for line in lines[:LINES_CAP]]
        epochs = [_number(line["epoch"], int) for line in read]
        losses = [float(_number(line["loss"], int, float)) for line in read]
    except (OSError, ValueError, TypeError, KeyError, UnicodeDecodeError) as error:
        return {"metrics.error": f"{type(error).__name__}: {error}"[:300]}
    found = {"metrics.error": None, "metrics.epochs": epochs}
    return found | {"metrics.loss": torch.tensor(losses, dtype=torch.float64)}


def _without_graph(item: Any) -> Any:
    return item.detach() if isinstance(item, torch.nn.Parameter) else item


def _number(item: Any, *types: type) -> Any:
    """Return a number of JSON; a string with digits and `true` are none."""
    if type(item) not in types:
        raise TypeError(f"{item!r} is not {types[-1].__name__}")
    return item
