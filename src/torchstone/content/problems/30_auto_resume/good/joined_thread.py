"""A thread writes a copy while training goes on; it is joined before the next save and the end."""

import copy
import hashlib
import os
import pickle
import queue
import random
import threading

import numpy as np
import torch
from torch.utils.data import BatchSampler, Sampler


class CheckpointManager:
    """Each file holds a pickle with its own SHA-256; ``save`` is synchronous."""

    def __init__(self, directory, *, keep_last=3):
        if keep_last < 1:
            raise ValueError("keep at least one checkpoint")
        self.directory = str(directory)
        self.keep_last = keep_last
        os.makedirs(self.directory, exist_ok=True)

    def _name(self, step):
        return os.path.join(self.directory, "ckpt_" + str(step).rjust(8, "0") + ".pt")

    def save(self, step, state):
        body = pickle.dumps(state)
        record = pickle.dumps({"sha": hashlib.sha256(body).hexdigest(), "body": body})
        draft = os.path.join(self.directory, "draft")
        with open(draft, "wb") as file:
            file.write(record)
            file.flush()
            os.fsync(file)
        os.replace(draft, self._name(step))
        handle = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(handle)
        os.close(handle)
        for old in self.steps()[: -self.keep_last]:
            os.remove(self._name(old))

    def steps(self):
        found = []
        for name in os.listdir(self.directory):
            number = name[5:-3]
            is_ours = name.startswith("ckpt_") and name.endswith(".pt") and number.isdigit()
            if is_ours and len(number) >= 8 and not os.path.isdir(f"{self.directory}/{name}"):
                found.append(int(number))
        found.sort()
        return found

    def load(self):
        for step in sorted(self.steps(), reverse=True):
            try:
                with open(self._name(step), "rb") as file:
                    record = pickle.load(file)
                if hashlib.sha256(record["body"]).hexdigest() == record["sha"]:
                    return step, pickle.loads(record["body"])
            except Exception:  # noqa: BLE001
                pass
            print(f"checkpoint {step} is damaged")
        return None


class Writer:
    """Give copies to a manager in the background."""

    def __init__(self, manager):
        self.manager, self.jobs, self.errors = manager, queue.Queue(), []
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        while (job := self.jobs.get()) is not None:
            try:
                self.manager.save(*job)
            except BaseException as error:  # noqa: BLE001
                self.errors.append(error)
            self.jobs.task_done()

    def write(self, step, state):
        self.jobs.join()
        self.check()
        self.jobs.put((step, copy.deepcopy(state)))

    def close(self):
        self.jobs.put(None)
        self.thread.join()
        self.check()

    def check(self):
        if self.errors:
            raise self.errors[0]


class Shuffled(Sampler):
    """The order of one epoch."""

    def __init__(self, length, seed, epoch):
        self.length, self.key = length, (seed, epoch)

    def __len__(self):
        return self.length

    def __iter__(self):
        yield from np.random.default_rng(self.key).permutation(self.length).tolist()


def batches(length, batch_size, seed, step):
    while True:
        epoch, skipped = divmod(step, length // batch_size)
        plan = list(BatchSampler(Shuffled(length, seed, epoch), batch_size, drop_last=True))
        for indices in plan[skipped:]:
            yield indices
            step += 1


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
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    model, optimizer, scheduler = build()
    loaded = manager.load()
    start = 0 if loaded is None else loaded[0]
    if loaded is not None:
        state = loaded[1]
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        if scheduler is not None:
            scheduler.load_state_dict(state["scheduler"])
        random.setstate(state["python"])
        np.random.set_state(state["numpy"])
        torch.random.set_rng_state(state["torch"])
    model.train()
    writer = Writer(manager)
    try:
        plan = batches(len(dataset), batch_size, seed, start)
        for step, indices in zip(range(start, total_steps), plan, strict=False):
            batch = [dataset[index] for index in indices]
            optimizer.zero_grad()
            loss = loss_fn(model, batch)
            loss.backward()
            optimizer.step()
            if scheduler is not None:
                scheduler.step()
            if on_step is not None:
                on_step(step, loss.item())
            if (step + 1) % save_every == 0 or step + 1 == total_steps:
                state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
                state["scheduler"] = scheduler.state_dict() if scheduler is not None else None
                state |= {"python": random.getstate(), "numpy": np.random.get_state()}
                state["torch"] = torch.random.get_rng_state()
                writer.write(step + 1, state)
    finally:
        writer.close()
    return model.state_dict()
