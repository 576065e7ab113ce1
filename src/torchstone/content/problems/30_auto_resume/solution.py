"""Checkpoints that are written whole or not at all, and a loop that continues to the bit."""

from __future__ import annotations

import hashlib
import io
import os
import random
import re
import warnings
from typing import Any

import numpy as np
import torch
from torch import Tensor

NAME = re.compile(r"ckpt_(\d{8,})\.pt\Z")
DIGEST_BYTES = hashlib.sha256().digest_size


class CheckpointManager:
    """Keep the newest checkpoints of a run in one directory.

    A file is a SHA-256 digest, and behind it what ``torch.save`` wrote.
    """

    def __init__(self, directory: Any, *, keep_last: int = 3) -> None:
        """Make the directory."""
        if keep_last < 1:
            raise ValueError(f"keep_last must be at least 1; got {keep_last}")
        self._directory, self._keep_last = os.fspath(directory), keep_last
        os.makedirs(self._directory, exist_ok=True)

    def save(self, step: int, state: dict[str, Any]) -> None:
        """Write a checkpoint; it is on the disk when this returns."""
        stream = io.BytesIO()
        torch.save(state, stream)
        data = stream.getbuffer()
        path = self._path(step)
        partial = f"{path}.tmp"
        with open(partial, "wb") as file:
            file.write(hashlib.sha256(data).digest())
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
        # The name is an entry of the directory, which has to reach the disk as well.
        self._sync_directory()
        self._sweep()

    def steps(self) -> list[int]:
        """Return the steps of which there is a file, in ascending order."""
        names = map(NAME.match, os.listdir(self._directory))
        found = (int(name[1]) for name in names if name)
        return sorted(step for step in found if os.path.isfile(self._path(step)))

    def load(self) -> tuple[int, dict[str, Any]] | None:
        """Return the newest checkpoint that is intact, or None."""
        for step in reversed(self.steps()):
            with open(self._path(step), "rb") as file:
                digest, data = file.read(DIGEST_BYTES), file.read()
            if hashlib.sha256(data).digest() == digest:
                return step, torch.load(io.BytesIO(data), weights_only=False)
            warnings.warn(f"checkpoint {step} is damaged; trying an older one", stacklevel=2)
        return None

    def _path(self, step: int) -> str:
        return f"{self._directory}/ckpt_{step:08d}.pt"

    def _sync_directory(self) -> None:
        descriptor = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _sweep(self) -> None:
        """Remove what is too old, and what a killed save has left."""
        for step in self.steps()[: -self._keep_last]:
            os.unlink(self._path(step))
        for name in os.listdir(self._directory):
            if name.endswith(".tmp") and NAME.match(name.removesuffix(".tmp")):
                os.unlink(f"{self._directory}/{name}")


def train(
    directory: Any,
    *,
    build: Any,
    dataset: Any,
    loss_fn: Any,
    total_steps: int,
    batch_size: int,
    seed: int,
    save_every: int,
    keep_last: int = 3,
    on_step: Any = None,
) -> dict[str, Tensor]:
    """Train, and continue after a kill as if nothing had happened."""
    manager = CheckpointManager(directory, keep_last=keep_last)
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
    model, optimizer, scheduler = build()
    model.train()
    loaded = manager.load()
    step = 0
    if loaded is not None:
        step, state = loaded
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        if scheduler is not None:
            scheduler.load_state_dict(state["scheduler"])
        # Last, because `build` and loading may draw numbers.
        random.setstate(state["random"])
        np.random.set_state(state["numpy"])
        torch.set_rng_state(state["torch"])
    num_batches = len(dataset) // batch_size
    while step < total_steps:
        epoch, position = divmod(step, num_batches)
        indices = _order(seed, epoch, len(dataset))[position * batch_size :][:batch_size]
        batch = [dataset[index] for index in indices]
        optimizer.zero_grad()
        loss = loss_fn(model, batch)
        loss.backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        if on_step is not None:
            on_step(step, loss.item())
        step += 1
        if step % save_every == 0 or step == total_steps:
            state = {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": None if scheduler is None else scheduler.state_dict(),
                "random": random.getstate(),
                "numpy": np.random.get_state(),
                "torch": torch.get_rng_state(),
            }
            manager.save(step, state)
    return dict(model.state_dict())


def _order(seed: int, epoch: int, num_samples: int) -> list[int]:
    """Return the permutation of an epoch; it depends on nothing that a restart could lose."""
    order = list(range(num_samples))
    random.Random(f"{seed} {epoch}").shuffle(order)
    return order
