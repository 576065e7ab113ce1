"""A DataLoader gives the batches; a header of magic, length and digest comes before the archive."""

import hashlib
import io
import os
import random
import struct

import numpy as np
import torch
from torch.utils.data import DataLoader

HEADER = struct.Struct("<8sQ32s")
MAGIC = b"RESUME01"


class CheckpointManager:
    """Write beside, then rename; read only what the header describes."""

    def __init__(self, directory, *, keep_last=3):
        if keep_last < 1:
            raise ValueError("keep_last must be positive")
        self.directory, self.keep_last = directory, keep_last
        os.makedirs(directory, exist_ok=True)
        self.sweep()

    def sweep(self):
        for name in os.listdir(self.directory):
            if name.startswith("~ckpt_"):
                os.unlink(os.path.join(self.directory, name))

    def path(self, step):
        return os.path.join(self.directory, f"ckpt_{step:08d}.pt")

    def save(self, step, state):
        buffer = io.BytesIO()
        torch.save(state, buffer)
        body = buffer.getvalue()
        draft = os.path.join(self.directory, f"~ckpt_{step:08d}.pt")
        try:
            with open(draft, "wb") as file:
                file.write(HEADER.pack(MAGIC, len(body), hashlib.sha256(body).digest()))
                file.write(body)
                file.flush()
                os.fdatasync(file.fileno())
        except OSError:
            os.unlink(draft)
            raise
        os.rename(draft, self.path(step))
        folder = os.open(self.directory, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        for old in self.steps()[: -self.keep_last]:
            os.unlink(self.path(old))

    def steps(self):
        def number(name):
            head, tail = name[:5], name[-3:]
            digits = name[5:-3]
            return int(digits) if (head, tail) == ("ckpt_", ".pt") and digits.isdigit() else None

        numbers = map(number, os.listdir(self.directory))
        return sorted(n for n in numbers if n is not None and os.path.isfile(self.path(n)))

    def load(self):
        for step in reversed(self.steps()):
            with open(self.path(step), "rb") as file:
                head, body = file.read(HEADER.size), file.read()
            if len(head) == HEADER.size:
                magic, length, digest = HEADER.unpack(head)
                if (magic, length, digest) == (MAGIC, len(body), hashlib.sha256(body).digest()):
                    return step, torch.load(io.BytesIO(body), weights_only=False)
            print("skipping the damaged checkpoint", step)
        return None


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
    for set_seed in (random.seed, np.random.seed, torch.manual_seed):
        set_seed(seed)
    model, optimizer, scheduler = build()
    model.train()
    manager = CheckpointManager(directory, keep_last=keep_last)
    step, found = 0, manager.load()
    if found is not None:
        step, state = found
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        scheduler and scheduler.load_state_dict(state["scheduler"])
    per_epoch = len(dataset) // batch_size
    restored = None if found is None else found[1]["generators"]
    while step < total_steps:
        order = np.random.default_rng([seed, step // per_epoch])
        order = order.permutation(len(dataset))[: per_epoch * batch_size].reshape(-1, batch_size)
        rest = order[step % per_epoch :].tolist()
        # A loader with its own generator draws nothing from the global one.
        loader = DataLoader(
            dataset, batch_sampler=rest, collate_fn=list, generator=torch.Generator()
        )
        for batch in _restoring(loader, restored):
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
                state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
                state["scheduler"] = scheduler and scheduler.state_dict()
                state["generators"] = (
                    random.getstate(),
                    np.random.get_state(),
                    torch.get_rng_state(),
                )
                manager.save(step, state)
            if step == total_steps:
                break
        restored = None
    return model.state_dict()


def _restoring(loader, state):
    """Iterate over a loader; restore the generators after its start, before its first batch."""
    iterator = iter(loader)
    if state is not None:
        random.setstate(state[0])
        np.random.set_state(state[1])
        torch.set_rng_state(state[2])
    yield from iterator
