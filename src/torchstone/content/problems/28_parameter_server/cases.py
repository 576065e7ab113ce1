"""Draw interleavings, races and trainings over pipes for problem 28.

A script is a list of actions on one server, in the order in which they happen. What each call waits
for follows from the rules of the modes alone; `Schedule` knows them without any number.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

GROUPS = (
    "sync",
    "queue",
    "async",
    "partial",
    "ssp",
    "leave",
    "alias",
    "errors",
    "race",
    "processes",
    "crash",
    "client-errors",
)
Params = dict[str, Any]
SHAPES = {"a": ([5], "float64"), "b": ([2, 3], "float32"), "c": ([], "float64")}
WIDE = {"a": ([48], "float64"), "b": ([6, 8], "float64")}
# A pull that only sleeps for a while is seen by a longer look.
LOOK_S = 0.15
STEPS = 6


class Schedule:
    """Follow the clocks of one server: what is applied, and who has to wait.

    Attributes:
        updates: The pushes of each update, as worker and number of the push.
    """

    def __init__(self, setup: Params) -> None:
        self.mode, self.staleness = setup["mode"], setup.get("staleness", 0)
        self.clocks = [0] * setup["num_workers"]
        self.gone: set[int] = set()
        self.updates: list[list[tuple[int, int]]] = []
        # In sync mode: how many rounds are applied, and the last round of each worker that left.
        self.rounds = 0

    def push(self, worker: int) -> None:
        """Count a push, and apply what it completes."""
        number = self.clocks[worker]
        self.clocks[worker] += 1
        if self.mode != "sync":
            self.updates.append([(worker, number)])
        self._complete_rounds()

    def leave(self, worker: int) -> None:
        """Count a worker no longer."""
        self.gone.add(worker)
        self._complete_rounds()

    def waits(self, worker: int) -> bool:
        """Return whether a pull of this worker waits now."""
        if worker in self.gone or self.mode == "async":
            return False
        if self.mode == "sync":
            return self.clocks[worker] > self.rounds
        live = [self.clocks[each] for each in self._live()]
        return self.clocks[worker] > min(live) + self.staleness

    def _live(self) -> list[int]:
        return [each for each in range(len(self.clocks)) if each not in self.gone]

    def _complete_rounds(self) -> None:
        if self.mode != "sync":
            return
        # All cases keep one worker, so that what a server without workers does is nobody's concern.
        while self._live() and all(self.clocks[each] > self.rounds for each in self._live()):
            present = [each for each, clock in enumerate(self.clocks) if clock > self.rounds]
            self.updates.append([(each, self.rounds) for each in present])
            self.rounds += 1


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the tensors of a case."""
    kind = params["kind"]
    case: Case = BUILDERS[kind](params, draw)
    return case


def shrink(params: Params) -> Iterator[Params]:
    """Propose fewer scripts and fewer actions, or fewer workers, boldest first."""
    if params["kind"] != "interleave":
        return
    scripts = params["scripts"]
    if len(scripts) > 1 and not params.get("compares"):
        yield from (params | {"scripts": [script]} for script in scripts)
    elif len(scripts) > 2:
        yield from (params | {"scripts": list(pair)} for pair in itertools.combinations(scripts, 2))
    if len(scripts) == 1:
        actions = scripts[0]["actions"]
        for end in range(1, len(actions)):
            yield params | {"scripts": [scripts[0] | {"actions": actions[:end]}]}


def followed(script: Params) -> Params:
    """Say when each call of a script returns, and what it finds then.

    Returns:
        ``returns``: the action at which a call returns, None if it never does. ``versions`` and
        ``clocks``: after each action. ``updates``: as in `Schedule`.
    """
    schedule = Schedule(script["setup"])
    returns: list[int | None] = []
    versions, clocks, waiting = [], [], {}
    for at, (action, *arguments) in enumerate(script["actions"]):
        is_busy = action in ("push", "pull") and arguments[0] in waiting.values()
        assert not is_busy, "a worker does one thing at a time"
        if action in ("push", "leave"):
            getattr(schedule, action)(arguments[0])
        returns.append(None if action == "pull" else at)
        if action == "pull":
            waiting[at] = arguments[0]
        for call in [call for call, worker in waiting.items() if not schedule.waits(worker)]:
            returns[call] = at
            del waiting[call]
        versions.append(len(schedule.updates))
        clocks.append(list(schedule.clocks))
    updates = schedule.updates
    return {"returns": returns, "versions": versions, "clocks": clocks, "updates": updates}


def _interleave(params: Params, draw: Draw) -> Case:
    shapes = params.get("shapes", SHAPES)
    initial = _draw_all(shapes, draw)
    scripts = params["scripts"]
    most = max(script["setup"]["num_workers"] for script in scripts)
    # The same gradients for all scripts of a case, so that only the order tells them apart.
    grads = [[_draw_all(shapes, draw) for _ in range(12)] for _ in range(most)]
    sent, secret = [], []
    for script in scripts:
        known = followed(script)
        due = [
            [call for call, tick in enumerate(known["returns"]) if tick == at]
            for at in range(len(script["actions"]))
        ]
        sent.append(script | {"due": due})
        secret.append(script | known)
    data = {"scripts": sent, "initial": initial, "grads": grads}
    data["compares"] = params.get("compares", False)
    return Case(
        steps=(_alone("interleave", data),),
        secret={**data, "scripts": secret, "kind": "interleave"},
        shown={f"script {n}": _written(script) for n, script in enumerate(scripts)} | initial,
    )


def _draw_all(shapes: Params, draw: Draw) -> dict[str, torch.Tensor]:
    return {
        name: draw.normal(shape, getattr(torch, dtype)) for name, (shape, dtype) in shapes.items()
    }


def _alone(op: str, data: Params) -> Request:
    """Ask one process, which joins no group."""
    return Request(op=op, data={**data, "world_size": 1, "joined_by": "pipes"})


def _written(script: Params) -> str:
    setup = ", ".join(f"{name}={value!r}" for name, value in script["setup"].items())
    return f"{setup}: " + "; ".join(map(written_action, script["actions"]))


def written_action(action: list[Any]) -> str:
    """Write an action as a call."""
    name, *arguments = action
    return f"{name}({', '.join(map(str, arguments))})"


def _refusals(params: Params, draw: Draw) -> Case:
    data = {"initial": _draw_all(SHAPES, draw), "setups": params["setups"]}
    return Case(steps=(_alone("refuse", data),), secret={**params, **data})


def _race(params: Params, draw: Draw) -> Case:
    writers, pushes = params["writers"], params["pushes"]
    # Whole numbers, so that the sum is exact in every order.
    amounts = draw.integers([writers, pushes], -8, 8, torch.float64)
    if params["mode"] == "sync":
        amounts = amounts * writers
    data = params | {"amounts": amounts}
    return Case(steps=(_alone("race", data),), secret=data)


def _train(params: Params, draw: Draw) -> Case:
    workers, steps = params["num_workers"], params["steps"]
    features = 3
    parts: list[Params] = [{}]
    for worker in range(workers):
        dies = params.get("dies")
        part: Params = {"dies": dies if worker == workers - 1 else None, "holds": None}
        # The others go on when the last one is dead, which has pushed before.
        if dies is not None and dies["in_pull"] and worker < workers - 1:
            part["holds"] = dies["step"]
        if params["task"] == "least squares":
            part["x"] = draw.normal([4, features], torch.float64)
            part["y"] = draw.normal([4], torch.float64)
        parts.append(part)
    initial = {
        "least squares": lambda: {
            "weight": draw.normal([features], torch.float64),
            "bias": draw.normal([], torch.float64),
        },
        "counts": lambda: {
            "counts": torch.zeros(workers, dtype=torch.float64),
            "steps": torch.zeros((), dtype=torch.float32),
        },
    }[params["task"]]()
    setup = {"num_workers": workers, "mode": params["mode"], "staleness": params["staleness"]}
    setup |= {"lr": params["lr"], "momentum": params["momentum"]}
    parts[0]["initial"], parts[0]["setup"] = initial, setup
    known = {"task": params["task"], "steps": steps, "world_size": workers + 1}
    request = Request(op="train", data={**known, "ranks": parts, "joined_by": "pipes"})
    return Case(
        steps=(request,),
        secret={"dies": None, **params, "initial": initial, "parts": parts[1:], "setup": setup},
        shown={key: value for key, value in params.items() if key != "kind"} | initial,
    )


def _client_errors(params: Params, draw: Draw) -> Case:
    initial, grads = _draw_all(SHAPES, draw), _draw_all(SHAPES, draw)
    setup = {"num_workers": 1, "lr": 0.5, "mode": params["mode"]}
    parts = [{"initial": initial, "setup": setup}, {"grads": grads}]
    data = {"world_size": 2, "joined_by": "pipes", "ranks": parts}
    secret = {**params, "initial": initial, "grads": grads, "setup": setup}
    return Case(steps=(Request(op="offend", data=data),), secret=secret, shown=initial)


BUILDERS: dict[str, Any] = {
    "interleave": _interleave,
    "refusals": _refusals,
    "race": _race,
    "train": _train,
    "client errors": _client_errors,
}


def _scripts(*scripts: Params, **more: Any) -> Params:
    return {"kind": "interleave", "scripts": list(scripts)} | more


def _script(mode: str, workers: int, actions: str, draw: Draw, **setup: Any) -> Params:
    """Read a script: ``+0`` push, ``?0`` pull, ``-0`` leave, ``=`` state, ``!`` look."""
    options: Params = {"num_workers": workers, "mode": mode}
    options |= {"lr": draw.choice((0.25, 0.4, 0.75)), **setup}
    return {"setup": options, "actions": [_action(word) for word in actions.split()]}


def _action(word: str) -> list[Any]:
    signs = {"+": "push", "?": "pull", "-": "leave", "z": "zero", "s": "spoil", "r": "again"}
    if word == "=":
        return ["state"]
    if word[0] == "!":
        return ["look", float(word[1:] or LOOK_S)]
    if word[0] == "+" and ":" in word:
        worker, _, names = word[1:].partition(":")
        return ["push", int(worker), names.split(",") if names else []]
    if word[0] == "x":
        worker, _, kind = word[1:].partition(":")
        return ["bad", int(worker), kind]
    if word == "i":
        return ["initial"]
    return [signs[word[0]], int(word[1:])]


def _sync(draw: Draw) -> list[Params]:
    found = []
    for momentum in (0.0, 0.9):
        lr = draw.choice((0.25, 0.4, 0.75))
        scripts = []
        for order in itertools.permutations(range(3)):
            pushes = " ".join(f"+{worker}" for worker in order)
            text = " ".join([f"{pushes} ?{order[0]}"] * 3)
            scripts.append(
                _script("sync", 3, f"{text} ?{order[1]} ?{order[2]} =", draw, momentum=momentum)
            )
        look = "!" if momentum else ""
        late = _script("sync", 3, f"?1 +0 ?0 +2 ?2 = {look} +1 ?1 = +2 +1 ?1 +0 =", draw)
        late["setup"]["momentum"] = momentum
        for script in scripts:
            script["setup"]["lr"] = lr
            script["loose"] = True
        found.append(_scripts(*scripts, compares=True, shapes=WIDE))
        found.append(_scripts(late | {"loose": True}))
    return found


def _queue(draw: Draw) -> list[Params]:
    return [
        _scripts(
            _script("sync", 2, "+0 +0 = ?0 ?1 +1 ?1 = ! +1 =", draw, momentum=0.5),
            _script("sync", 3, "+1 +1 +1 +2 ?2 ! +0 ?0 = +0 +2 = ?1 +2 +0 =", draw),
        ),
        _scripts(
            _script("sync", 3, "+2 +2 +0 = +1 ?1 = +1 +0 ?2 = +0 +1 +2 =", draw, momentum=0.9),
            _script("sync", 1, "+0 ?0 = +0 +0 ?0 =", draw, momentum=0.5),
        ),
    ]


def _async(draw: Draw) -> list[Params]:
    found = []
    for workers, momentum in ((2, 0.0), (3, 0.9), (1, 0.5)):
        words = ["?0"]
        for _ in range(7):
            worker = draw.integer(0, workers - 1)
            words += [f"+{worker}", f"?{draw.integer(0, workers - 1)}"]
        words.append(f"-{workers - 1} ?0 =")
        if workers > 1:
            words.append("+0 ?0 =")
        script = _script("async", workers, " ".join(words), draw, momentum=momentum, staleness=2)
        found.append(_scripts(script))
    return found


def _partial(draw: Draw) -> list[Params]:
    rounds = "+0:a,b +1:a,b = +1:b +0:b = +0: +1: = +0:c,a +1:c,a = +0 +1 ?0 ="
    mixed = "+0:a +1:b = +0:c +0: = +1:a,c = +0 ?1 ="
    return [
        _scripts(_script("sync", 2, rounds, draw, momentum=0.9)),
        _scripts(
            _script("async", 2, mixed, draw, momentum=0.9),
            _script("ssp", 2, mixed, draw, momentum=0.5, staleness=5),
            _script("async", 2, mixed, draw),
        ),
    ]


def _ssp(draw: Draw) -> list[Params]:
    scripts = []
    for staleness in (0, 1, 3):
        ahead = "+0 ?0 " * staleness
        text = f"?0 {ahead} +0 ?0 +1 ! +2 = +0 ?0 +1 ?1 +2 ?2 ="
        scripts.append(
            _script("ssp", 3, text, draw, staleness=staleness, momentum=draw.choice((0.0, 0.9)))
        )
    fast, slow = draw.choice(((0, 1), (1, 0)))
    # The number of updates grows with every push of the fast ones; only the slowest clock counts.
    patience = f"!{draw.integer(105, 130) / 100}"
    waiting = f"+{fast} ?{fast} +2 +2 {patience} +{slow} = +{slow} ?{slow} ="
    return [
        _scripts(*scripts),
        _scripts(
            _script("ssp", 3, f"+{fast} ?{fast} {waiting}", draw, staleness=1),
            _script("ssp", 3, waiting, draw, staleness=0, momentum=0.5),
            # One that is behind never waits, however far the others are.
            _script("ssp", 2, "+0 +0 +0 +0 ?1 +1 ?1 +1 ?1 = ?0 +1 ! +1 =", draw, staleness=0),
        ),
    ]


def _leave(draw: Draw) -> list[Params]:
    a, b, c = draw.choice(tuple(itertools.permutations(range(3))))
    sync = [
        # The missing one leaves: the round is complete without it.
        f"+{a} ?{a} +{b} ?{b} -{c} = +{a} +{b} ?{a} =",
        # It has pushed already: its push stays in the round.
        f"+{c} -{c} +{a} ?{a} +{b} = +{b} +{a} ?{b} =",
        # Its pushes were ahead: they stay in their rounds, and it is missed in none.
        f"+{c} +{c} -{c} -{c} ?{c} +{a} +{b} = +{b} +{a} = +{a} +{b} ?{a} =",
    ]
    ssp = [
        f"+{a} +{a} ?{a} +{b} +{b} ?{b} -{c} = +{a} ?{a} -{a} = +{b} ?{b} =",
        f"+{a} ?{a} -{a} -{a} ?{a} = +{b} ?{b} ! +{c} =",
    ]
    return [
        _scripts(*(_script("sync", 3, text, draw, momentum=0.5) for text in sync)),
        _scripts(*(_script("ssp", 3, text, draw) for text in ssp)),
        _scripts(_script("sync", 3, f"+{a} ?{a} -{a} = -{b} +{c} ?{c} = +{c} =", draw)),
    ]


def _alias(draw: Draw) -> list[Params]:
    # The numbers are those of the push or pull meant, counted from 0 over all words.
    sync = "+0 z0 ?1 s2 +1 z4 ?0 ?1 = s6 r7 ?0 = +0 z13 +1 z15 ?1 r7 = i"
    asynchronous = "i +0 z1 ?0 +1 z4 s3 ?1 = +0 r7 ?0 s11 = r7 i"
    return [
        _scripts(_script("sync", 2, sync, draw, momentum=0.5)),
        _scripts(
            _script("async", 2, asynchronous, draw, momentum=0.9),
            _script("ssp", 2, asynchronous, draw, staleness=4),
            _script("sync", 1, "i +0 z1 ?0 s3 = i +0 ?0 = i", draw, momentum=0.9),
        ),
    ]


def _errors(draw: Draw) -> list[Params]:
    base = {"num_workers": 2, "lr": 0.1}
    setups = [
        base | {"mode": "bsp"},
        base | {"mode": "SYNC"},
        base | {"num_workers": 0},
        base | {"num_workers": -1, "mode": "async"},
        base | {"mode": "ssp", "staleness": -1},
        base | {"staleness": -2},
        base | {"momentum": 1.0},
        base | {"momentum": -0.1, "mode": "async"},
        base | {"momentum": 1.5},
    ]
    at = "x0:unknown x1:shape = +0 x0:unknown x1:broadcast x1:scalar = x2:index x-1:index"
    reads = "x2:index-pull x-1:index-pull x2:index-leave x-1:index-leave"
    text = f"{at} {reads} +1 = x0:shape +1 x1:unknown +0 ?1 ="
    gone = "+0 +1 -1 x1:gone = x1:gone ?1 +0 ="
    scripts = [
        _script(mode, 2, text, draw, momentum=0.9, staleness=4) for mode in ("sync", "async", "ssp")
    ]
    return [
        {"kind": "refusals", "setups": setups},
        _scripts(scripts[0]),
        _scripts(*scripts[1:]),
        _scripts(*(_script(mode, 2, gone, draw) for mode in ("sync", "async", "ssp"))),
    ]


def _races(draw: Draw) -> list[Params]:
    more = {"kind": "race", "writers": 4}
    return [
        more | {"mode": "async", "pushes": 60, "sleeps": False},
        more | {"mode": "async", "pushes": 60, "sleeps": True},
        more | {"mode": "sync", "pushes": 15, "sleeps": True},
    ]


def _training(mode: str, workers: int, task: str, draw: Draw, **more: Any) -> Params:
    found = {"kind": "train", "mode": mode, "num_workers": workers, "task": task, "steps": STEPS}
    found |= {"staleness": 0, "lr": 1.0, "momentum": 0.0}
    if task == "least squares":
        found |= {"lr": draw.choice((0.05, 0.1)), "momentum": draw.choice((0.5, 0.9))}
    return found | more


def _processes(draw: Draw) -> list[Params]:
    return [
        _training("sync", 2, "least squares", draw),
        _training("sync", 3, "least squares", draw, momentum=0.0),
        _training("async", draw.choice((2, 3)), "counts", draw),
        _training("ssp", draw.choice((2, 3)), "counts", draw, staleness=draw.choice((0, 1))),
    ]


def _crash(draw: Draw) -> list[Params]:
    return [
        _training("sync", 3, "least squares", draw, dies={"step": 2, "in_pull": False}),
        _training("ssp", 3, "counts", draw, dies={"step": 2, "in_pull": False}),
        # Killed while its pull waits: the answer finds a closed pipe.
        _training("sync", 3, "least squares", draw, dies={"step": 2, "in_pull": True}),
    ]


def _offences(draw: Draw) -> list[Params]:
    return [{"kind": "client errors", "mode": mode} for mode in ("sync", "async")]


PLANS: dict[str, Any] = {
    "sync": _sync,
    "queue": _queue,
    "async": _async,
    "partial": _partial,
    "ssp": _ssp,
    "leave": _leave,
    "alias": _alias,
    "errors": _errors,
    "race": _races,
    "processes": _processes,
    "crash": _crash,
    "client-errors": _offences,
}
