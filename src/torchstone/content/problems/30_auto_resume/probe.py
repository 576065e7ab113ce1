"""Drive the training in one of several runs, and report every draw, loss and step as it happens."""

from __future__ import annotations

import hashlib
import os
import random
import stat
import threading
from collections.abc import Callable
from typing import Any

import numpy
import torch

# Captured here, before a submission could replace them.
sha256 = hashlib.sha256
draw_random, draw_numpy, draw_torch = random.random, numpy.random.random, torch.rand
draw_salt, plain_hash = os.urandom, hash
float64 = torch.float64
count_threads = threading.active_count
# What a save does that reaches the disk, in its order.
done: list[str] = []


def noted(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Note each call of a function of ``os`` that returns; a sync by what it is of."""

    def call(*args: Any, **options: Any) -> Any:
        name = kind
        if kind == "sync":
            first = args[0] if args else options.get("fd")
            number = first if isinstance(first, int) else first.fileno()
            name = "sync of a folder" if S_ISDIR(fstat(number).st_mode) else "sync of a file"
        result = function(*args, **options)
        done.append(name)
        return result

    return call


# The submission finds these in `os`. What the system holds outlives a kill of the process, so
# nothing but the calls shows a missing sync.
fstat, S_ISDIR = os.fstat, stat.S_ISDIR
os.fsync, os.fdatasync = noted("sync", os.fsync), noted("sync", os.fdatasync)
os.replace, os.rename = noted("rename", os.replace), noted("rename", os.rename)


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one request."""
    return OPERATIONS[op](submission, data, tools)


def train(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Train in the folder of this run."""
    job = Job(data, tools)
    num_threads = count_threads()
    # Every start is a process, and each process salts the hash of a text.
    submission.builtins["hash"] = salted(draw_salt(8))

    def work() -> Any:
        return submission.train(
            tools.run.folder,
            build=job.build,
            dataset=job,
            loss_fn=job.loss,
            total_steps=data["total_steps"],
            batch_size=data["batch_size"],
            seed=data["seed"],
            save_every=data["save_every"],
            keep_last=data["keep_last"],
            on_step=job.on_step,
        )

    if data.get("may_raise"):
        done = tools.attempt(work)
        return {"error": done["raised"]["type"] if "raised" in done else None}
    state = work()
    if not isinstance(state, dict) or not all(map(tools.is_plain, state.values())):
        raise tools.Fault("value_type", type=type(state).__name__)
    found: dict[str, Any] = {
        "hash": hash_of(state),
        "keys": list(state),
        "threads": count_threads() - num_threads,
    }
    if data["mode"] == "plain":
        found |= {f"final.{name}": tools.sendable(item) for name, item in state.items()}
    return found


def salted(salt: bytes) -> Callable[[Any], int]:
    """Return `hash` as in a process with a salt of its own; numbers hash as always."""

    def has_text(value: Any) -> bool:
        if isinstance(value, (str, bytes)):
            return True
        return isinstance(value, (tuple, frozenset)) and any(map(has_text, value))

    def hash_of_value(value: Any) -> int:
        plain = plain_hash(value)
        return plain_hash((salt, plain)) if has_text(value) else plain

    return hash_of_value


class Job:
    """The model, the samples and the loss of a request; also the dataset itself."""

    def __init__(self, data: dict[str, Any], tools: Any) -> None:
        """Take the samples."""
        self._data, self._event = data, tools.run.event
        self._x, self._y = data["x"], data["y"]
        self._is_plain = data["mode"] == "plain"

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self._x)

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        """Return a sample; it draws its augmentation from the three global generators."""
        index = int(index)
        if not 0 <= index < len(self._x):
            raise IndexError(index)
        if self._is_plain:
            self._event("sample", index)
            return self._x[index], self._y[index]
        draws = [draw_random(), float(draw_numpy()), draw_torch((), dtype=float64).item()]
        self._event("sample", index, *draws)
        return self._x[index] * (0.5 + draws[0]) + draws[1] - draws[2], self._y[index]

    def build(self) -> tuple[Any, Any, Any]:
        """Return model, optimizer and scheduler; numbers are drawn from every generator."""
        data, width = self._data, self._x.shape[1]
        drawn = [draw_random(), float(draw_numpy())]
        if self._is_plain:
            model: Any = torch.nn.Linear(width, 1).double()
            self._event("build", *drawn, *model.weight[0].tolist(), model.bias.item())
            optimizer: Any = torch.optim.SGD(model.parameters(), lr=data["lr"], momentum=0.9)
            gamma = data["gamma"]
            decay = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma) if gamma else None
            return model, optimizer, decay
        nn = torch.nn
        model = nn.Sequential(
            nn.Linear(width, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 1)
        )
        if data["ballast"]:
            model.register_buffer("ballast", draw_torch(data["ballast"]))
        self._event("build", *drawn, model[0].weight[0, 0].item())
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.05, total_steps=200)
        return model, optimizer, schedule

    def loss(self, model: Any, batch: Any) -> Any:
        """Return the mean squared error of a batch."""
        x, y = (torch.stack([sample[part] for sample in batch]) for part in (0, 1))
        loss = ((model(x)[:, 0] - y) ** 2).mean()
        self._event("loss", loss.item(), model.training)
        return loss

    def on_step(self, step: Any, loss: Any) -> None:
        """Report a finished step."""
        self._event("step", int(step), float(loss))


def hash_of(state: dict[str, Any]) -> str:
    """Hash the bytes of a state, in the order of its names."""
    digest = sha256()
    for name in sorted(state):
        tensor = state[name].detach().contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def manage(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Use a manager alone; the second run reads what the first has saved."""
    made = submission.CheckpointManager(tools.run.folder, keep_last=2)
    if data["part"] == "refuses":
        refused = {}
        for number in (0, -1):
            tried = tools.attempt(
                lambda: submission.CheckpointManager(tools.run.folder, keep_last=number)  # noqa: B023
            )
            refused[f"keep {number}"] = tried.get("raised", {}).get("type")
        return refused | {"empty": made.load(), "no steps": list(made.steps())}
    if data["part"] == "save":
        for number, step in enumerate(data["at"]):
            state = state_of(data, number)
            done.clear()
            made.save(step, state)
            # What was saved is what the state was.
            state["nested"]["tensor"].zero_()
            state["nested"]["list"].append("late")
            state["array"][:] = -1
        made_durable = in_order(done)
        other = submission.CheckpointManager(os.path.join(tools.run.folder, "other"))
        for step in range(1, 5):
            other.save(step, {})
        there = os.listdir(tools.run.folder)
        names = [name for name in there if name.startswith("ckpt_") and name.endswith(".pt")]
        return {
            "steps": list(made.steps()),
            "names": sorted(names, key=lambda name: (len(name), name)),
            "kept by default": list(other.steps()),
            "durable": made_durable,
        }
    loaded = made.load()
    if loaded is None:
        return {"loaded": None}
    step, state = loaded
    return {"loaded": int(step), "right": same(state, state_of(data, len(data["at"]) - 1), tools)}


def in_order(done: list[str]) -> bool:
    """Return whether a file was synced, then renamed, and its folder synced behind that."""
    wanted = iter(("sync of a file", "rename", "sync of a folder"))
    due = next(wanted)
    for each in done:
        if each == due:
            due = next(wanted, "")
    return not due


def state_of(data: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a state with values of many types."""
    tensor = data["x"] + number
    return {
        "nested": {"tensor": tensor, "list": [1, "two", tensor.double().t()], "none": None},
        "pair": (number, 2.5),
        "array": numpy.arange(6, dtype=numpy.int16).reshape(2, 3) + number,
        "empty": torch.empty(0, 3),
        "mask": tensor > 0,
        "half": tensor.bfloat16(),
    }


def same(a: Any, b: Any, tools: Any) -> bool:
    """Return whether two states are equal, types included."""
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and bool(tools.torch_equal(a, b))
    if isinstance(a, numpy.ndarray):
        return a.dtype == b.dtype and a.tolist() == b.tolist()
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key], tools) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y, tools) for x, y in zip(a, b, strict=True))
    return bool(a == b)


OPERATIONS = {"train": train, "manager": manage}
