"""No generator state in the file: every step begins from (seed, step)."""

import json
import os
import random
import re
import zlib

import numpy as np
import torch

PATTERN = re.compile(r"ckpt_([0-9]{8,})\.pt")


def write_all(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view[: 1 << 16]) :]


class CheckpointManager:
    """Files end in a CRC-32; a side file hints at the newest and is never trusted."""

    def __init__(self, directory, *, keep_last=3):
        if keep_last < 1:
            raise ValueError("keep_last")
        os.makedirs(directory, exist_ok=True)
        self.directory, self.keep_last = directory, keep_last

    def place(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, *parts):
        descriptor = os.open(self.place("saving"), os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)
        try:
            for part in parts:
                write_all(descriptor, part)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(self.place("saving"), self.place(name))
        folder = os.open(self.directory, os.O_DIRECTORY)
        os.fsync(folder)
        os.close(folder)

    def save(self, step, state):
        from io import BytesIO

        stream = BytesIO()
        torch.save(state, stream)
        data = stream.getvalue()
        self.write(f"ckpt_{step:08d}.pt", data, zlib.crc32(data).to_bytes(4, "big"))
        self.write("LATEST", json.dumps({"step": step}).encode())
        for old in self.steps()[: -self.keep_last]:
            os.remove(self.place(f"ckpt_{old:08d}.pt"))

    def steps(self):
        with os.scandir(self.directory) as entries:
            found = [PATTERN.fullmatch(entry.name) for entry in entries if entry.is_file()]
        return sorted(int(match.group(1)) for match in found if match)

    def load(self):
        from io import BytesIO

        for step in self.steps()[::-1]:
            with open(self.place(f"ckpt_{step:08d}.pt"), "rb") as file:
                whole = file.read()
            data, check = whole[:-4], whole[-4:]
            if len(whole) > 4 and zlib.crc32(data).to_bytes(4, "big") == check:
                return step, torch.load(BytesIO(data), weights_only=False)
            print("damaged:", step)
        return None


def reseed(*parts):
    number = zlib.crc32(repr(parts).encode())
    random.seed(number)
    np.random.seed(number)
    torch.manual_seed(number)


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
    manager = CheckpointManager(directory, keep_last=keep_last)
    reseed(seed, "start")
    model, optimizer, scheduler = build()
    parts = [part for part in (model, optimizer, scheduler) if part is not None]
    begin = 0
    if (found := manager.load()) is not None:
        begin, states = found
        for part, state in zip(parts, states["parts"], strict=True):
            part.load_state_dict(state)
    model.train()
    per_epoch = len(dataset) // batch_size
    for step in range(begin, total_steps):
        order = list(range(len(dataset)))
        random.Random(f"{seed} {step // per_epoch}").shuffle(order)
        at = step % per_epoch * batch_size
        reseed(seed, step)
        batch = [dataset[i] for i in order[at : at + batch_size]]
        optimizer.zero_grad(set_to_none=True)
        loss = loss_fn(model, batch)
        loss.backward()
        optimizer.step()
        if scheduler:
            scheduler.step()
        if on_step:
            on_step(step, float(loss))
        if (step + 1) % save_every == 0 or step + 1 == total_steps:
            manager.save(step + 1, {"parts": [part.state_dict() for part in parts]})
    return model.state_dict()
