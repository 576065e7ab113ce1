"""Replay the updates of each script in float64, with a bound on the rounding of an answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import COUNT, EPS, Case, Exact, Expected, Holds, Raises, Want
from torchstone.judge.kit.problem import load_module

Tensor = torch.Tensor
# Scripts are written here as there.
written_action = load_module(Path(__file__).with_name("cases.py")).written_action
REFUSED = {
    "unknown": KeyError,
    "shape": ValueError,
    "broadcast": ValueError,
    "scalar": ValueError,
    "index": IndexError,
    "index-pull": IndexError,
    "index-leave": IndexError,
    "gone": RuntimeError,
}
NOTES = {
    "orders": {
        "en": "the same pushes in another order of arrival gave other bits",
        "zh": "同样的推送换一种到达次序，结果的比特就不同",
    },
    "names": {
        "en": "a pull gives every parameter by its name, and nothing else",
        "zh": "pull 应按名字给出全部参数，且只有这些",
    },
    "clocks": {
        "en": "the clocks are how often each worker has pushed",
        "zh": "clocks 是每个 worker 各推送了多少次",
    },
    "same": {
        "en": "the tensors passed to the constructor were changed",
        "zh": "传给构造函数的张量被改动",
    },
    "torn": {
        "en": "a pulled snapshot holds some names before an update and others after it",
        "zh": "拉取到的快照中，有的键是更新之前的值，有的是更新之后的值",
    },
    "race": {
        "en": "four threads push and one pulls; some call never returns",
        "zh": "四个线程推送、一个线程拉取，有调用始终没有返回",
    },
    "rising": {
        "en": "the versions that one worker gets from its pushes do not rise",
        "zh": "同一个 worker 各次推送得到的 version 没有递增",
    },
    "counts": {
        "en": "a worker pulled a state that lacks pushes of its own, or is staler than allowed",
        "zh": "worker 拉取到的状态缺少它自己的推送，或比允许的更陈旧",
    },
}


class Replay:
    """The parameters after every update, and a bound for each.

    An honest step rounds a sum over the workers, a quotient, the velocity and the parameter. The
    bound allows four units of what entered so far for each step, and eight at the beginning; for
    float64 at least 1e-12, because there the reference rounds as well.
    """

    def __init__(self, initial: dict[str, Tensor], setup: dict[str, Any]) -> None:
        self.dtypes = {name: value.dtype for name, value in initial.items()}
        self.setup = setup
        zeros = {name: torch.zeros_like(x, dtype=torch.float64) for name, x in initial.items()}
        self._velocity, self._speed = dict(zeros), dict(zeros)
        self._sizes = {name: value.double().abs() for name, value in initial.items()}
        self.states = [{name: value.double() for name, value in initial.items()}]
        self.scales = [dict(self._sizes)]

    def apply(self, pushes: list[dict[str, Tensor]]) -> None:
        """Take one step on the mean of some pushes."""
        momentum, lr = self.setup.get("momentum", 0.0), self.setup["lr"]
        state = dict(self.states[-1])
        for name in state:
            grads = [push[name].double() for push in pushes if name in push]
            if not grads:
                continue
            mean = torch.stack(grads).sum(0) / len(grads)
            size = torch.stack(grads).abs().sum(0) / len(grads)
            self._velocity[name] = momentum * self._velocity[name] + mean
            self._speed[name] = momentum * self._speed[name] + size
            state[name] = state[name] - lr * self._velocity[name]
            self._sizes[name] = self._sizes[name] + lr * self._speed[name]
        self.states.append(state)
        self.scales.append(dict(self._sizes))

    def want(self, name: str, version: int) -> Want:
        """Return what a parameter is after some updates."""
        dtype = self.dtypes[name]
        relative = (8 + 4 * version) * EPS[dtype]
        if dtype == torch.float64:
            relative = max(relative, 1e-12)
        return Want(self.states[version][name], relative * self.scales[version][name], dtype)

    def wants(self, prefix: str, version: int) -> Expected:
        """Return what all parameters are after some updates."""
        return {f"{prefix}:{name}": self.want(name, version) for name in self.dtypes}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    found: Expected = EXPECTED[case.secret["kind"]](case.secret)
    return found


def _interleave(secret: dict[str, Any]) -> Expected:
    found: Expected = {}
    for number, script in enumerate(secret["scripts"]):
        found |= _of_script(number, script, secret)
    if secret["compares"]:
        for name, value in secret["initial"].items():
            shape = (len(secret["scripts"]), *value.shape)
            found[f"rank0:orders:{name}"] = Holds(
                lambda got, shape=shape: _is_one_row(got, shape),
                NOTES["orders"],
                aspect="determinism",
            )
    return found


def _is_one_row(got: Any, shape: tuple[int, ...]) -> bool:
    if not isinstance(got, Tensor) or got.shape != shape or got.dtype != torch.float64:
        return False
    return bool((got == got[:1]).all())


def _of_script(number: int, script: dict[str, Any], secret: dict[str, Any]) -> Expected:
    replay = Replay(secret["initial"], script["setup"])
    for pushes in script["updates"]:
        replay.apply([_pushed(script, secret, *push) for push in pushes])
    found: Expected = {}
    for call, (name, *_) in enumerate(script["actions"]):
        at, key = script["returns"][call], f"rank0:{number}.{call}"
        if name == "push" and script.get("loose", False):
            continue
        if name in ("push", "pull", "leave", "state", "bad"):
            found[f"{key}:at"] = Exact(at, note=_note(script["actions"], call, at))
        if at is not None:
            found |= _of_call(script, call, key, replay)
    return found


def _of_call(script: dict[str, Any], call: int, key: str, replay: Replay) -> Expected:
    """Return what a call answers when it returns."""
    name, *arguments = script["actions"][call]
    version = script["versions"][script["returns"][call]]
    who = f"{written_action(script['actions'][call])} ({call})"
    if name == "push":
        return {f"{key}:version": Exact(version, note=_version_note(who, version))}
    if name == "pull":
        names = sorted(replay.dtypes)
        return {f"{key}:names": Exact(names, note=NOTES["names"]), **replay.wants(key, version)}
    if name == "state":
        clocks = Exact(script["clocks"][call], note=NOTES["clocks"])
        return {
            f"{key}:version": Exact(version, note=_version_note(who, version)),
            f"{key}:clocks": clocks,
            **replay.wants(key, version),
        }
    if name == "bad":
        return {f"{key}:raised": Raises(REFUSED[arguments[1]])}
    if name == "again":
        return replay.wants(key, script["versions"][script["returns"][arguments[0]]])
    return {f"{key}:same": Exact(True, note=NOTES["same"])} if name == "initial" else {}


def _pushed(script: dict[str, Any], secret: dict[str, Any], worker: int, number: int) -> Any:
    """Return what a worker pushed; a push may name some parameters only."""
    own = [each for each in script["actions"] if each[0] == "push" and each[1] == worker]
    grads = secret["grads"][worker][number]
    names = own[number][2] if len(own[number]) > 2 else grads
    return {name: grads[name] for name in names}


def _version_note(who: str, version: int) -> dict[str, str]:
    return {
        "en": f"{who} must give version {version}, the number of updates so far",
        "zh": f"{who} 的 version 应为 {version}，即到此为止的更新次数",
    }


def _note(actions: list[Any], call: int, at: int | None) -> dict[str, str]:
    who = f"{written_action(actions[call])} ({call})"
    if at is None:
        return {
            "en": f"{who} must still wait at the end of the script",
            "zh": f"{who} 到脚本结束时仍应在等待",
        }
    if at == call:
        return {
            "en": f"{who} must return at once, without waiting for another call",
            "zh": f"{who} 应立即返回，不等待其他调用",
        }
    until = f"{written_action(actions[at])} ({at})"
    return {
        "en": f"{who} must wait until {until}, and return then: not before, not later",
        "zh": f"{who} 应等到 {until} 才返回，不能更早，也不能更晚",
    }


def _refusals(secret: dict[str, Any]) -> Expected:
    return {f"rank0:{n}:raised": Raises(ValueError) for n in range(len(secret["setups"]))}


def _race(secret: dict[str, Any]) -> Expected:
    amounts, is_sync = secret["amounts"], secret["mode"] == "sync"
    writers, pushes = secret["writers"], secret["pushes"]
    names = sorted(f"key {n}" for n in range(12))
    total = -(amounts.sum() / writers if is_sync else amounts.sum())
    found: Expected = {
        "rank0:returned": Exact(True, note=NOTES["race"]),
        "rank0:names": Exact(names),
        "rank0:torn": Exact(0, note=NOTES["torn"]),
        "rank0:looks": Holds(lambda count: count > 0, NOTES["race"], takes=COUNT),
        "rank0:version": Exact(pushes if is_sync else writers * pushes),
        "rank0:clocks": Exact([pushes] * writers + [0] * (not is_sync)),
        "rank0:rising": Exact(True, note=NOTES["rising"]),
    }
    value = total.expand(2, 32)
    return found | {f"rank0:{name}": Want(value, 0.0, torch.float64) for name in names}


def _train(secret: dict[str, Any]) -> Expected:
    workers, steps, dies = secret["num_workers"], secret["steps"], secret.get("dies")
    counts = [steps] * workers
    if dies is not None:
        counts[-1] = dies["step"] + dies["in_pull"]
    found: Expected = {
        "rank0:clocks": Exact(counts),
        "rank0:version": Exact(steps if secret["mode"] == "sync" else sum(counts)),
    }
    for worker in range(workers):
        found[f"rank{worker + 1}:died"] = Exact(dies is not None and worker == workers - 1)
    of_task = _least_squares if secret["task"] == "least squares" else _counts
    return found | of_task(secret, counts)


def _least_squares(secret: dict[str, Any], counts: list[int]) -> Expected:
    replay = Replay(secret["initial"], secret["setup"])
    for step in range(secret["steps"]):
        weight, bias = replay.states[-1]["weight"], replay.states[-1]["bias"]
        pushes = []
        for part, count in zip(secret["parts"], counts, strict=True):
            if step < count:
                error = part["x"] @ weight + bias - part["y"]
                pushes.append({"weight": part["x"].T @ error / len(error), "bias": error.mean()})
        replay.apply(pushes)
    found: Expected = replay.wants("rank0:final", secret["steps"])
    for worker in range(secret["num_workers"]):
        dies = secret["parts"][worker]["dies"]
        # One that dies before its pull has seen a state less.
        last = secret["steps"] if dies is None else dies["step"] - (not dies["in_pull"])
        for name in replay.dtypes:
            each = [replay.want(name, version) for version in range(last + 1)]
            value = torch.stack([want.value for want in each])
            # Gradients depend on what was pulled, so that errors feed back.
            limit = 8 * torch.stack([torch.as_tensor(want.bound) for want in each]).amax()
            found[f"rank{worker + 1}:pulled.{name}"] = Want(value, limit, torch.float64)
    for name in replay.dtypes:
        want = found[f"rank0:final:{name}"]
        assert isinstance(want, Want), "a replay wants tensors"
        limit = 8 * torch.as_tensor(want.bound).amax()
        found[f"rank0:final:{name}"] = Want(want.value, limit, want.dtype)
    return found


def _counts(secret: dict[str, Any], counts: list[int]) -> Expected:
    value = torch.tensor(counts, dtype=torch.float64)
    found: Expected = {
        "rank0:final:counts": Want(value, 0.0, torch.float64),
        "rank0:final:steps": Want(value.sum(), 0.0, torch.float32),
    }
    slack = secret["staleness"] if secret["mode"] == "ssp" else None
    for worker, count in enumerate(counts):
        has_died = secret["parts"][worker]["dies"] is not None
        found[f"rank{worker + 1}:pulled.counts"] = Holds(
            lambda got, worker=worker, rows=count + (not has_died): _is_fresh(
                got, worker, rows, counts, slack
            ),
            NOTES["counts"],
        )
    return found


def _is_fresh(got: Any, worker: int, rows: int, counts: list[int], slack: int | None) -> bool:
    """Return whether each pull saw all own pushes, and enough of the others'."""
    if not isinstance(got, Tensor) or got.shape != (rows, len(counts)):
        return False
    if got.dtype != torch.float64:
        return False
    for clock, row in enumerate(got.tolist()):
        for other, seen in enumerate(row):
            least = clock if other == worker else 0 if slack is None else clock - slack
            most = clock if other == worker else counts[other]
            if not min(least, counts[other]) <= seen <= most or seen != int(seen):
                return False
    return True


def _client_errors(secret: dict[str, Any]) -> Expected:
    replay = Replay(secret["initial"], secret["setup"])
    replay.apply([secret["grads"]])
    found: Expected = {}
    for name in ("unknown", "shape", "scalar"):
        found[f"rank1:{name}:raised"] = Raises(REFUSED[name])
        found |= replay.wants(f"rank1:{name}", 0)
    found |= {"rank1:version": Exact(1), "rank0:version": Exact(1), "rank0:clocks": Exact([1])}
    return found | replay.wants("rank1:after", 1) | replay.wants("rank0:final", 1)


EXPECTED: dict[str, Any] = {
    "interleave": _interleave,
    "refusals": _refusals,
    "race": _race,
    "train": _train,
    "client errors": _client_errors,
}
