"""Play interleavings in threads, let threads race, and train over pipes.

Each call has a thread of its own, because any of them may wait. A call that must return is waited
for until no thread of the process moves any more; no clock decides about it. A call that must wait
is looked at after a while: a right server still waits, however long the while is.
"""

import random
import sys
import threading
import time
from itertools import pairwise

import torch

SLICE_S = 0.01
KEYS = 12


def probe(submission, op, data, tools):
    operations = {
        "interleave": interleave,
        "refuse": refuse,
        "race": race,
        "train": train,
        "offend": offend,
    }
    return operations[op](submission, data, tools)


class Call:
    """One call in a thread of its own; a pulled tensor is copied as soon as it is there."""

    def __init__(self, name, function, tools):
        self.name, self.at, self.raised, self.result = name, None, None, None
        self._function, self._tools = function, tools
        self._done = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        try:
            self.result = self._function()
            self.copy = copied(self.result)
        except BaseException as error:  # noqa: BLE001
            self.raised = self._tools.describe_error(error)
        self._done.set()
        self._tools.rank.signal(self.name)

    @property
    def is_done(self):
        return self._done.is_set()

    def wait(self):
        """Return whether it returns; False if no thread moves any more."""
        if not self._done.wait(0.05):
            self._tools.rank.wait_for(self.name)
        return self.is_done


class Script:
    """One server, and the calls that are made on it."""

    def __init__(self, number, submission, data, tools, seen):
        script = data["scripts"][number]
        self.number, self.tools, self.seen, self.grads = number, tools, seen, data["grads"]
        self.actions, self.due = script["actions"], script["due"]
        self.is_loose = script.get("loose", False)
        self.initial = {name: value.clone() for name, value in data["initial"].items()}
        self.expected = copied(self.initial)
        self.server = submission.ParameterServer(self.initial, **script["setup"])
        self.clocks = [0] * script["setup"]["num_workers"]
        self.calls, self.given, self.found = {}, {}, {}
        self.is_over, self.next = False, 0

    def play(self):
        """Take actions until one is a look; return its seconds, or 0 at the end."""
        while self.next < len(self.actions) and not self.is_over:
            if self.actions[self.next][0] == "look":
                return self.actions[self.next][1]
            self._take(self.next)
            self.observe()
        return 0.0

    def _take(self, at):
        """Begin an action, and wait for the calls that return by it."""
        name, *arguments = self.actions[at]
        getattr(self, f"_{name}")(at, *arguments)
        for number in self.due[at]:
            call = self.calls.get(number)
            if call is None:
                continue
            if self.is_loose and self.actions[number][0] == "push":
                self._wait_loosely(call)
            elif self.seen["hang"] or not call.wait():
                self.seen["hang"] = self.is_over = True
                return

    def _wait_loosely(self, call):
        """Wait for a push that may wrongly wait for others, which another group is about."""
        if self.seen["waiting push"]:
            time.sleep(SLICE_S)
        else:
            self.seen["waiting push"] = not call.wait()

    def observe(self):
        """Note which calls have returned after the current action, and go on to the next."""
        for call in self.calls.values():
            if call.at is None and call.is_done and not self.is_over:
                call.at = self.next
        self.next += 1

    def _start(self, at, function, *arguments):
        name = f"{self.number}.{at}"
        self.calls[at] = Call(name, lambda: function(*arguments), self.tools)

    def _push(self, at, worker, names=None):
        grads = self.grads[worker][self.clocks[worker]]
        self.clocks[worker] += 1
        self.given[at] = copied({name: grads[name] for name in (grads if names is None else names)})
        self._start(at, self.server.push, worker, self.given[at])

    def _pull(self, at, worker):
        self._start(at, self.server.pull, worker)

    def _leave(self, at, worker):
        self._start(at, self.server.leave, worker)

    def _state(self, at):
        self._start(at, lambda: [self.server.state_dict(), self.server.version, self.server.clocks])

    def _bad(self, at, worker, kind):
        grads = copied(self.grads[0][-1])
        if kind == "unknown":
            grads["unknown"] = torch.ones(2)
        elif kind == "shape":
            grads["b"] = torch.ones(3, 2)
        elif kind == "broadcast":
            grads["b"] = torch.ones(3)
        elif kind == "scalar":
            grads["c"] = torch.ones(1, dtype=torch.float64)
        if kind.startswith("index-"):
            self._start(at, getattr(self.server, kind[6:]), worker)
        else:
            self._start(at, self.server.push, worker, grads)

    def _zero(self, at, call):
        for grad in self.given[call].values():
            grad.zero_()

    def _spoil(self, at, call):
        """Overwrite what was pulled; it belongs to the worker."""
        pulled = self.calls[call].result
        for value in pulled.values() if isinstance(pulled, dict) else ():
            if isinstance(value, torch.Tensor):
                value.detach().fill_(-777.0)

    def _again(self, at, call):
        result = self.calls[call].result
        if isinstance(result, dict):
            self.found |= {f"{self.number}.{at}:{key}": x for key, x in tensors(result).items()}

    def _initial(self, at):
        same = all(self.tools.same_bits(x, self.expected[key]) for key, x in self.initial.items())
        self.found[f"{self.number}.{at}:same"] = same
        for value in self.initial.values():
            value.fill_(9.0)
        self.expected = copied(self.initial)

    def report(self):
        """Describe when each call returned, and with what."""
        for at, call in self.calls.items():
            key, name = f"{self.number}.{at}", self.actions[at][0]
            self.found[f"{key}:at"] = call.at
            if call.at is None:
                continue
            if call.raised is not None:
                self.found[f"{key}:raised"] = call.raised
            elif name == "push":
                self.found[f"{key}:version"] = plain(call.result)
            elif name == "pull":
                self.found[f"{key}:names"] = names_of(call.copy)
                self.found |= {f"{key}:{each}": x for each, x in tensors(call.copy).items()}
            elif name == "state":
                state, version, clocks = call.copy
                self.found |= {f"{key}:{each}": x for each, x in tensors(state).items()}
                self.found |= {f"{key}:version": plain(version), f"{key}:clocks": plain(clocks)}
        return self.found


def interleave(submission, data, tools):
    """Play all scripts from look to look, so that one look serves them all."""
    # To find out that a call never returns takes seconds: once in a case is enough.
    seen = {"hang": False, "waiting push": False}
    scripts = [Script(n, submission, data, tools, seen) for n in range(len(data["scripts"]))]
    while looks := {script: seconds for script in scripts if (seconds := script.play())}:
        # Under load each sleep is longer, and so is the time that the other threads get.
        for _ in range(round(max(looks.values()) / SLICE_S)):
            time.sleep(SLICE_S)
        for script in looks:
            script.observe()
    found = {}
    for script in scripts:
        found |= script.report()
    if data["compares"]:
        for name in data["initial"]:
            last = [found.get(f"{s.number}.{len(s.actions) - 1}:{name}") for s in scripts]
            if all(each is not None and each.shape == last[0].shape for each in last):
                found[f"orders:{name}"] = torch.stack(last)
    return found


def refuse(submission, data, tools):
    found = {}
    for number, setup in enumerate(data["setups"]):
        made = tools.attempt(lambda setup=setup: build(submission, data["initial"], setup))
        if "raised" in made:
            found[f"{number}:raised"] = made["raised"]
    return found


def build(submission, initial, setup):
    submission.ParameterServer(copied(initial), **setup)


def race(submission, data, tools):
    """Let writers push the same number under every name, while a reader compares the names."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    racers = Race(submission, data, tools)
    writers = [
        Call(f"writer {n}", lambda n=n: racers.write(n), tools) for n in range(data["writers"])
    ]
    calls = [*writers, *([] if racers.is_sync else [Call("reader", racers.read, tools)])]
    found = {"returned": all([call.wait() for call in writers])}
    racers.is_over.set()
    found["returned"] = found["returned"] and calls[-1].wait()
    sys.setswitchinterval(before)
    raised = [call.raised for call in calls if call.raised is not None]
    if raised:
        found["race:raised"] = raised[0]
    elif found["returned"]:
        found |= racers.report()
    return found


class Race:
    """One server, and what its writers and its reader do."""

    def __init__(self, submission, data, tools):
        self.data, self.is_sync = data, data["mode"] == "sync"
        self.initial = {f"key {n}": torch.zeros(2, 32, dtype=torch.float64) for n in range(KEYS)}
        workers = data["writers"] + (not self.is_sync)
        setup = {"num_workers": workers, "lr": 1.0, "mode": data["mode"]}
        self.server = submission.ParameterServer(self.initial, **setup)
        self.torn, self.versions = [], [[] for _ in range(data["writers"])]
        self.is_over = threading.Event()

    def look(self, worker):
        values = [value.detach().clone() for value in self.server.pull(worker).values()]
        first = values[0].flatten()[0]
        self.torn.append(any(bool((value != first).any()) for value in values))

    def write(self, worker):
        grads = copied(self.initial)
        for amount in self.data["amounts"][worker].tolist():
            for grad in grads.values():
                grad.fill_(amount)
            self.versions[worker].append(self.server.push(worker, grads))
            if self.is_sync:
                self.look(worker)
            if self.data["sleeps"]:
                time.sleep(random.random() * 1e-3)

    def read(self):
        while not self.is_over.is_set():
            self.look(self.data["writers"])

    def report(self):
        final = tensors(self.server.state_dict())
        found = {"names": sorted(final), "torn": sum(self.torn), "looks": len(self.torn)} | final
        found |= {"version": plain(self.server.version), "clocks": plain(self.server.clocks)}
        # In sync mode a push may leave the version as it is.
        pairs = [] if self.is_sync else [pair for own in self.versions for pair in pairwise(own)]
        return found | {"rising": all(earlier < later for earlier, later in pairs)}


def train(submission, data, tools):
    rank = tools.rank
    if rank.number == 0:
        return host(submission, data, tools)
    client = submission.Client(rank.connections[0])
    found, pulled, dies = {"died": False}, [], data["dies"]
    for step in range(data["steps"]):
        is_last = dies is not None and step == dies["step"]
        if is_last and not dies["in_pull"]:
            rank.die(found | {"died": True, **rows(pulled)})
        params = copied(rank.call("pull", client.pull))
        pulled.append(params)
        if data["holds"] == step:
            rank.wait_for("dead")
        grads = gradients(params, data, rank)
        version = rank.call("push", client.push, grads)
        found[f"{step}:version"] = plain(version)
        if is_last:
            threading.Thread(target=client.pull, daemon=True).start()
            for _ in range(10):
                time.sleep(SLICE_S)
            rank.signal("dead")
            rank.die(found | {"died": True, **rows(pulled)})
    pulled.append(copied(rank.call("pull", client.pull)))
    client.close()
    return found | rows(pulled)


def host(submission, data, tools):
    server = submission.ParameterServer(data["initial"], **data["setup"])
    tools.rank.call("serve", submission.serve, server, list(tools.rank.connections))
    found = {f"final:{name}": value for name, value in tensors(server.state_dict()).items()}
    return found | {"version": plain(server.version), "clocks": plain(server.clocks)}


def gradients(params, data, rank):
    if data["task"] == "counts":
        own = torch.zeros_like(params["counts"])
        own[rank.number - 1] = -1.0
        return {"counts": own, "steps": torch.full_like(params["steps"], -1.0)}
    error = data["x"] @ params["weight"] + params["bias"] - data["y"]
    return {"weight": data["x"].T @ error / len(error), "bias": error.mean()}


def offend(submission, data, tools):
    """Make calls that must raise through a client, and use it as before."""
    rank = tools.rank
    if rank.number == 0:
        return host(submission, data, tools)
    client, grads, found = submission.Client(rank.connections[0]), data["grads"], {}
    offences = {
        "unknown": grads | {"unknown": torch.ones(2)},
        "shape": grads | {"b": torch.ones(3, 2)},
        "scalar": grads | {"c": torch.ones(1, dtype=torch.float64)},
    }
    for name, offence in offences.items():
        made = tools.attempt(lambda offence=offence: rank.call("push", client.push, offence))
        if "raised" in made:
            found[f"{name}:raised"] = made["raised"]
        found |= {f"{name}:{key}": x for key, x in tensors(rank.call("pull", client.pull)).items()}
    found["version"] = plain(rank.call("push", client.push, grads))
    found |= {f"after:{key}": x for key, x in tensors(rank.call("pull", client.pull)).items()}
    client.close()
    return found


def copied(value):
    """Copy the tensors of a dict, and of a list of dicts, now."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {name: copied(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [copied(item) for item in value]
    return value


def tensors(value):
    """Return the plain tensors of a dict under short names."""
    if not isinstance(value, dict):
        return {}
    found = {str(name)[:40]: x for name, x in value.items() if isinstance(x, torch.Tensor)}
    return {name: x.detach().clone() for name, x in found.items() if x.layout == torch.strided}


def names_of(value):
    return sorted(map(str, value)) if isinstance(value, dict) else type(value).__name__


def plain(value):
    """Return a number or a list of numbers, or else the name of the type."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, (list, tuple)) and all(type(item) is int for item in value):
        return list(value)
    return type(value).__name__


def rows(pulled):
    """Put what was pulled into one tensor for each name."""
    names = sorted(pulled[0]) if pulled and isinstance(pulled[0], dict) else []
    return {f"pulled.{name}": torch.stack([each[name] for each in pulled]) for name in names}
