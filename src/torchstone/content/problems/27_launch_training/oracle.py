"""Train as all ranks together in float64, and say what must be in the folder then."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, Maybe, Want

DEFAULTS = {"epochs": 3, "batch_size": 8, "lr": 0.1, "hidden": 16, "seed": 0}
MOMENTUM = 0.9
TOLERANCE = 1e-9
FILES = [["metrics.jsonl", "file"], ["model.pt", "file"]]
# The share of the traffic of a ring that must be on the loopback at least.
LEAST_TRAFFIC = 0.8


def expect(case: Case) -> Expected:
    """Return what every launch of the case must leave."""
    params, found = case.secret["params"], {}
    for number, launch in enumerate(params["launches"]):
        name, ranks = f"run{number}", range(launch["ranks"])
        if params["group"] == "error":
            found |= {f"{name}:rank{rank}:exit": _fails(rank) for rank in ranks}
        else:
            found |= {f"{name}:rank{rank}:exit": Exact(0) for rank in ranks}
            found |= {f"{name}:{key}": item for key, item in _left_by(launch, case).items()}
        found[f"{name}:left"] = Exact(0, note=_words("no process is left", "没有遗留进程"))
        found[f"{name}:outside"] = Exact(
            [], note=_words("nothing is written beside DIR", "DIR 之外不写任何东西")
        )
    return found


def _words(en: str, zh: str) -> dict[str, str]:
    return {"en": en, "zh": zh}


def _fails(rank: int) -> Holds:
    wanted = _words(
        f"rank {rank} ends with an exit code other than 0",
        f"rank {rank} 以非 0 的退出码结束",
    )
    return Holds(lambda code: code != 0, wanted, takes=COUNT, truth=1)


def _left_by(launch: dict[str, Any], case: Case) -> Expected:
    args = DEFAULTS | launch["args"]
    trained = Training(case.secret["x"], case.secret["y"], launch["ranks"], args)
    state, losses = trained.run()
    found: Expected = {
        "files": Holds(_are_the_two, _words(
            "model.pt and metrics.jsonl in DIR, and nothing else",
            "DIR 中恰有 model.pt 与 metrics.jsonl，别无他物",
        )),
        "model.error": Exact(None, note=_words(
            "model.pt is read by torch.load(weights_only=True)",
            "model.pt 可用 torch.load(weights_only=True) 读取",
        )),
        "model.keys": Maybe(Holds(partial(_are_keys, sorted(state)), _words(
            f"the keys of the bare model: {', '.join(state)}",
            f"裸模型的键：{'、'.join(state)}",
        ))),
        "metrics.error": Exact(None, note=_words(
            'lines such as {"epoch": 0, "loss": 1.5} in metrics.jsonl',
            'metrics.jsonl 中形如 {"epoch": 0, "loss": 1.5} 的行',
        )),
        "metrics.epochs": Maybe(Exact(list(range(args["epochs"])))),
        "metrics.loss": Maybe(_want(losses)),
    }  # fmt: skip
    found |= {f"model:{key}": Maybe(_want(value)) for key, value in state.items()}
    if launch["ranks"] > 1:
        found["bytes"] = trained.traffic()
    return found


def _want(value: Tensor) -> Want:
    return Want(value, TOLERANCE * float(value.abs().max()), torch.float64)


def _are_the_two(files: Any) -> bool:
    if not isinstance(files, list) or not all(isinstance(entry, list) for entry in files):
        return False
    # An entry is a name, a size and a type.
    return [list(map(str, entry[::2])) for entry in files] == FILES


def _are_keys(wanted: list[str], keys: Any) -> bool:
    return isinstance(keys, list) and sorted(map(str, keys)) == wanted


class Training:
    """The training of all ranks in one process: the mean of the ranks' gradients in each step."""

    def __init__(self, x: Tensor, y: Tensor, num_ranks: int, args: dict[str, Any]) -> None:
        """Build the model of rank 0."""
        self._x, self._y, self._num_ranks, self._args = x, y, num_ranks, args
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(args["seed"])
            hidden = nn.Linear(x.shape[1], args["hidden"])
            top = nn.Linear(args["hidden"], int(y.max()) + 1)
        layers = {"0": hidden.double(), "2": top.double()}
        self._state = {
            f"{layer}.{part}": getattr(layers[layer], part).detach().clone().requires_grad_()
            for layer in layers
            for part in ("weight", "bias")
        }

    def run(self) -> tuple[dict[str, Tensor], Tensor]:
        """Train; return the weights, and the loss of each epoch."""
        weights = list(self._state.values())
        velocity = [torch.zeros_like(each) for each in weights]
        losses = []
        for epoch in range(self._args["epochs"]):
            seen = []
            for step in self._steps(epoch):
                of_samples = [self._losses(batch) for batch in step]
                seen += [each.detach() for each in of_samples]
                mean = torch.stack([each.mean() for each in of_samples]).mean()
                grads = torch.autograd.grad(mean, weights)
                for weight, speed, grad in zip(weights, velocity, grads, strict=True):
                    speed.mul_(MOMENTUM).add_(grad)
                    weight.data.sub_(self._args["lr"] * speed)
            losses.append(torch.cat(seen).mean())
        return {key: each.detach() for key, each in self._state.items()}, torch.stack(losses)

    def _losses(self, batch: Tensor) -> Tensor:
        """Return the cross entropy of each sample of a batch."""
        state = self._state
        hidden = torch.tanh(self._x[batch] @ state["0.weight"].T + state["0.bias"])
        scores = hidden @ state["2.weight"].T + state["2.bias"]
        of_class = scores.gather(1, self._y[batch][:, None])[:, 0]
        return torch.logsumexp(scores, 1) - of_class

    def _steps(self, epoch: int) -> list[list[Tensor]]:
        """Return for each step the indices of each rank: the padded permutation, dealt out."""
        generator = torch.Generator().manual_seed(self._args["seed"] + epoch)
        order = torch.randperm(len(self._x), generator=generator)
        each = -(-len(order) // self._num_ranks)
        order = order.repeat(-(-each * self._num_ranks // len(order)))[: each * self._num_ranks]
        shards = [order[rank :: self._num_ranks] for rank in range(self._num_ranks)]
        size = self._args["batch_size"]
        return [[shard[at : at + size] for shard in shards] for at in range(0, each, size)]

    def traffic(self) -> Holds:
        """Expect the bytes of an all-reduce of every gradient in every step."""
        num_bytes = sum(each.nbytes for each in self._state.values())
        steps = len(self._steps(0)) * self._args["epochs"]
        least = int(LEAST_TRAFFIC * steps * 2 * (self._num_ranks - 1) * num_bytes)
        wanted = _words(
            f"at least {least} bytes between the ranks: the gradients of {steps} steps",
            f"rank 之间至少传输 {least} 字节：共 {steps} 步的梯度",
        )
        return Holds(lambda sent: sent >= least, wanted, takes=COUNT, truth=least)
