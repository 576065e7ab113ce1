"""The CRC-32 of the zip's own records is verified; the order of the epoch is saved."""

import contextlib
import os
import random
import tempfile
import zipfile
from pathlib import Path

import numpy
import torch


class CheckpointManager:
    """``torch.save`` writes a zip archive; ``testzip`` reads what torch.load skips."""

    PREFIX = ".partial-"

    def __init__(self, directory, *, keep_last=3):
        if not keep_last >= 1:
            raise ValueError(f"keep_last is {keep_last}")
        self.root = Path(directory)
        self.root.mkdir(parents=True, exist_ok=True)
        self.keep_last = keep_last

    def _found(self):
        found = {}
        for path in self.root.glob("ckpt_*.pt"):
            digits = path.stem[len("ckpt_") :]
            if digits.isdecimal() and len(digits) >= 8 and path.is_file():
                found[int(digits)] = path
        return dict(sorted(found.items()))

    def steps(self):
        return list(self._found())

    def save(self, step, state):
        descriptor, name = tempfile.mkstemp(prefix=self.PREFIX, dir=self.root)
        try:
            with os.fdopen(descriptor, "wb") as file:
                torch.save(state, file)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.root / f"ckpt_{step:08d}.pt")
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        descriptor = os.open(self.root, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        for path in list(self._found().values())[: -self.keep_last]:
            path.unlink()
        for path in self.root.glob(self.PREFIX + "*"):
            path.unlink()

    def load(self):
        for step, path in reversed(self._found().items()):
            try:
                with zipfile.ZipFile(path) as archive:
                    intact = archive.testzip() is None
            except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError):
                intact = False
            if intact:
                return step, torch.load(path, weights_only=False)
        return None


class Generators:
    """The three global generators as one thing with a state."""

    def seed(self, seed):
        random.seed(seed)
        numpy.random.seed(seed & 0xFFFFFFFF)
        torch.manual_seed(seed)

    def state_dict(self):
        return [random.getstate(), numpy.random.get_state(), torch.get_rng_state()]

    def load_state_dict(self, state):
        random.setstate(state[0])
        numpy.random.set_state(state[1])
        torch.set_rng_state(state[2])


class Order:
    """A shuffled order with a generator of its own, which is part of its state."""

    def __init__(self, length, batch_size, seed):
        self.generator = torch.Generator()
        self.generator.manual_seed(seed + 1)
        self.length, self.batch_size = length, batch_size
        self.left = []

    def __next__(self):
        if len(self.left) < self.batch_size:
            order = torch.randperm(self.length, generator=self.generator).tolist()
            self.left = order[: self.length // self.batch_size * self.batch_size]
        batch, self.left = self.left[: self.batch_size], self.left[self.batch_size :]
        return batch

    def state_dict(self):
        return {"left": self.left, "generator": self.generator.get_state()}

    def load_state_dict(self, state):
        self.left = list(state["left"])
        self.generator.set_state(state["generator"])


def train(
    directory,
    *,
    build,
    dataset,
    loss_fn,
    total_steps,
    batch_size,
    seed,
    save_every,
    keep_last=3,
    on_step=None,
):
    generators = Generators()
    generators.seed(seed)
    model, optimizer, scheduler = build()
    order = Order(len(dataset), batch_size, seed)
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "order": order}
    parts["generators"] = generators
    parts = {name: part for name, part in parts.items() if part is not None}
    manager = CheckpointManager(directory, keep_last=keep_last)
    loaded = manager.load()
    done = 0
    if loaded:
        done, states = loaded
        for name, part in parts.items():
            part.load_state_dict(states[name])
    model.train(True)
    while done < total_steps:
        samples = [dataset[index] for index in next(order)]
        optimizer.zero_grad()
        loss = loss_fn(model, samples)
        loss.backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        if on_step is not None:
            on_step(done, loss.detach().item())
        done += 1
        if not done % save_every or done == total_steps:
            manager.save(done, {name: part.state_dict() for name, part in parts.items()})
    return {name: value.detach().clone() for name, value in model.state_dict().items()}
