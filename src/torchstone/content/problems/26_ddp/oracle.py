"""Know the truth of problem 26: one process plays the scripts of all ranks.

Each rank has a plain copy of the model. Its local gradients come from a plain backward, in the
dtype of the parameters; their mean is taken in float64.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, Raises, Want
from torchstone.judge.kit.problem import load_module

ZOO = load_module(Path(__file__).with_name("probe.py"))
# Of the largest entry: float32 gradients of several ranks are added in any order.
RELATIVE = {torch.float64: 1e-11, torch.float32: 2e-6}
COUNTED = ("steps", "accumulate", "buffers", "wide")
SILENT = {
    "en": "no collective call: nothing is to be averaged here",
    "zh": "没有任何集合通信：这里没有要平均的东西",
}
TRAFFIC = {
    "en": "between 0.93 and 1.10 times the bytes of a ring all-reduce, 2(N-1)S",
    "zh": "字节数在环形 all-reduce 的 2(N-1)S 的 0.93 到 1.10 倍之间",
}
LITTLE = {"en": "almost no bytes on the loopback", "zh": "回环网络上几乎没有字节"}
EARLY = {
    "en": "a collective call before the gradients of the first layer: buckets in reverse order, "
    "launched during the backward",
    "zh": "在第一层的梯度出现之前已有集合通信：桶按逆序排列，在反向过程中发起",
}
BEFORE_END = {
    "en": "a collective call before the last gradient of the backward",
    "zh": "在反向的最后一个梯度之前已有集合通信",
}
PASSED = {
    "en": "the backward of rank 0 runs to its end although rank 1 is late",
    "zh": "rank 1 迟到时，rank 0 的反向也应一直跑完",
}


def expect(case: Case) -> Expected:
    """Return what each rank must answer."""
    return Play(case.secret).expected()


class Play:
    """Play the script of a case for all ranks of the group."""

    def __init__(self, secret: dict[str, Any]) -> None:
        self.secret = secret
        self.ranks = secret["members"] or list(range(secret["world_size"]))
        spec = secret["model"]
        self.models = [ZOO.build_model(spec) for _ in self.ranks]
        for model in self.models:
            ZOO.fill(model, secret["ranks"][self.ranks[0]]["state"])
        self.found: Expected = {}
        self.batches = {rank: iter(secret["ranks"][rank]["x"]) for rank in self.ranks}
        self.branches = {rank: iter(secret["ranks"][rank]["branches"]) for rank in self.ranks}

    def expected(self) -> Expected:
        """Return the expectations of the whole script."""
        if self.secret["model"]["frozen"]:
            return {f"rank{rank}:wrap.raised": Raises(RuntimeError) for rank in self.ranks}
        keys = sorted(f"module.{name}" for name in self.models[0].state_dict())
        state = self.secret["ranks"][self.ranks[0]]["state"]
        for rank in self.ranks:
            self.found[f"rank{rank}:same module"] = Exact(True)
            self.found[f"rank{rank}:keys"] = Exact(keys)
            for name, tensor in state.items():
                self.found[f"rank{rank}:begin.{name}"] = Exact(tensor, aspect="value")
        self.optimizers = [torch.optim.SGD(model.parameters(), **ZOO.SGD) for model in self.models]
        for number, act in enumerate(self.secret["script"]):
            getattr(self, act["do"])(number, act)
        return self.found

    def step(self, number: int, act: dict[str, Any]) -> None:
        for optimizer in self.optimizers:
            optimizer.step()
        first = self.ranks[0]
        for rank, model in zip(self.ranks, self.models, strict=True):
            for name, parameter in model.named_parameters():
                key = f"{number}.weight.{name}"
                value = parameter.detach()
                # What is wrong with them is wrong with the gradients.
                want = self._want(value, value.abs().max(), first, key, "grad")
                self.found[f"rank{rank}:{key}"] = want

    def zero(self, number: int, act: dict[str, Any]) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=act["none"])

    def broken_off(self, number: int, act: dict[str, Any]) -> None:
        for rank in self.ranks:
            self.found[f"rank{rank}:{number}.left"] = Exact(True)

    def silent(self, number: int, act: dict[str, Any]) -> None:
        for rank, model in zip(self.ranks, self.models, strict=True):
            model.train(act["training"])
            with torch.no_grad():
                out = model(next(self.batches[rank]), branches=next(self.branches[rank]))
            model.train()
            self.found[f"rank{rank}:{number}.out"] = self._want(out, out.abs().max())
            self._quiet(rank, f"{number}.forward")

    def refused(self, number: int, act: dict[str, Any]) -> None:
        for rank in self.ranks:
            self.found[f"rank{rank}:{number}.raised"] = Raises(RuntimeError)

    def one_pass(self, number: int, act: dict[str, Any]) -> None:
        syncs = act["sync"]
        if syncs and self.secret["options"].get("broadcast_buffers", True):
            for model in self.models[1:]:
                for mine, right in zip(model.buffers(), self.models[0].buffers(), strict=True):
                    mine.copy_(right)
        used = set()
        for rank, model in zip(self.ranks, self.models, strict=True):
            before = {name: _copy(each.grad) for name, each in model.named_parameters()}
            out = model(next(self.batches[rank]), branches=next(self.branches[rank]))
            out.square().mean().backward()
            used |= {
                name
                for name, each in model.named_parameters()
                if _has_changed(before[name], each.grad)
            }
        means = self._average(used) if syncs else {}
        if act["looks"]:
            self._look_at_grads(number, means, syncs=syncs)
            if self.secret["scene"] == "buffers":
                self._look_at_buffers(number)
        self._look_at_calls(number, act)

    def _average(self, used: set[str]) -> dict[str, torch.Tensor]:
        """Give every rank the mean of each gradient that some rank has; return the scales."""
        scales = {}
        of_ranks = [dict(model.named_parameters()) for model in self.models]
        for name in used:
            parameters = [named[name] for named in of_ranks]
            grads = [
                torch.zeros_like(each).double() if each.grad is None else each.grad.double()
                for each in parameters
            ]
            mean = torch.stack(grads).mean(0)
            scales[name] = torch.stack(grads).abs().max()
            for each in parameters:
                each.grad = mean.to(each.dtype, copy=True)
        return scales

    def _look_at_grads(self, number: int, scales: dict[str, torch.Tensor], *, syncs: bool) -> None:
        first = self.ranks[0]
        for rank, model in zip(self.ranks, self.models, strict=True):
            for name, parameter in model.named_parameters():
                key, grad = f"{number}.grad.{name}", parameter.grad
                if grad is None:
                    self.found[f"rank{rank}:{key}"] = Exact(None, aspect="grad")
                    continue
                scale = scales.get(name, grad.abs().max().double())
                alike = first if syncs else None
                self.found[f"rank{rank}:{key}"] = self._want(grad, scale, alike, key, "grad")

    def _look_at_buffers(self, number: int) -> None:
        for rank, model in zip(self.ranks, self.models, strict=True):
            for name, buffer in model.named_buffers():
                want = (
                    self._want(buffer.clone(), buffer.abs().max())
                    if buffer.is_floating_point()
                    else Exact(buffer.clone(), aspect="value")
                )
                self.found[f"rank{rank}:{number}.buffer.{name}"] = want

    def _look_at_calls(self, number: int, act: dict[str, Any]) -> None:
        for rank in self.ranks:
            if not act["sync"]:
                self._quiet(rank, f"{number}.forward")
                self._quiet(rank, f"{number}.backward")
            elif self.secret["scene"] == "overlap":
                self._look_at_overlap(rank, act["late"])
            elif self._is_counted() and not act["late"]:
                self._count(rank, f"{number}.backward.calls")
        if self.secret["meets"]:
            self._weigh(number, act)

    def _is_counted(self) -> bool:
        """Return whether the number of exchanges is compared with that of the buckets."""
        dtypes = {parameter.dtype for parameter in self.models[0].parameters()}
        return self.secret["scene"] in COUNTED or len(dtypes) > 1

    def _look_at_overlap(self, rank: int, place: str) -> None:
        if rank == 0:
            wanted = {"first": EARLY, "last": BEFORE_END}[place]
            early = Holds(lambda calls: calls >= 1, wanted, takes=COUNT, truth=1)
            self.found[f"rank0:0.{place}.calls"] = early
        else:
            self.found[f"rank{rank}:0.passed"] = Exact(True, note=PASSED)
            self._count(rank, "0.backward.calls")

    def _count(self, rank: int, key: str) -> None:
        """Expect one exchange for each bucket: one call, or two."""
        # A bucket may be closed where the dtype changes, or one be open for each dtype.
        numbers = sorted({len(self._buckets(own)) for own in (False, True)})
        allowed = {*numbers, *(2 * number for number in numbers)}
        least = numbers[0]
        wanted = {
            "en": f"{least} or {2 * least} collective calls in the backward: one exchange, of one "
            f"call or two, for each of {least} buckets",
            "zh": f"反向中有 {least} 或 {2 * least} 次集合通信："
            f"{least} 个桶各交换一次，每次一到两个调用",
        }
        alone = len(self.ranks) == 1
        self.found[f"rank{rank}:{key}"] = Holds(
            lambda calls: calls in allowed or (alone and calls == 0),
            wanted,
            takes=COUNT,
            truth=least,
        )

    def _buckets(self, open_for_each_dtype: bool) -> list[int]:
        """Fill buckets; return the bytes of each."""
        cap = self.secret["options"].get("bucket_cap_mb", 25.0) * 2**20
        sizes: list[int] = []
        last: dict[Any, int] = {}
        for each in reversed([p for p in self.models[0].parameters() if p.requires_grad]):
            number = last.get(each.dtype)
            if number is None or sizes[number] + each.nbytes > cap:
                last = dict(last) if open_for_each_dtype else {}
                last[each.dtype] = len(sizes)
                sizes.append(each.nbytes)
            else:
                sizes[number] += each.nbytes
        return sizes

    def _weigh(self, number: int, act: dict[str, Any]) -> None:
        """Compare the traffic of a pass with that of a ring."""
        size = sum(each.nbytes for each in self.models[0].parameters())
        ring = 2 * (len(self.ranks) - 1) * size
        key = f"rank0:{number}.backward.bytes"
        if not act["sync"]:
            self.found[key] = Holds(lambda sent: sent < size / 50, LITTLE, takes=COUNT, truth=0)
            return
        self.found[key] = Holds(
            lambda sent: 0.93 * ring <= sent <= 1.10 * ring, TRAFFIC, takes=COUNT, truth=ring
        )

    def _quiet(self, rank: int, name: str) -> None:
        self.found[f"rank{rank}:{name}.calls"] = Holds(
            lambda calls: calls == 0, SILENT, takes=COUNT, truth=0
        )

    def _want(
        self,
        value: torch.Tensor,
        scale: torch.Tensor,
        first: int | None = None,
        key: str = "",
        aspect: str = "value",
    ) -> Want:
        limit = RELATIVE[value.dtype] * float(scale)
        same_as = None if first is None else f"rank{first}:{key}"
        wide = value.detach().double().clone()
        return Want(wide, limit, value.dtype, aspect=aspect, same_as=same_as)


def _copy(grad: torch.Tensor | None) -> torch.Tensor | None:
    return None if grad is None else grad.clone()


def _has_changed(before: torch.Tensor | None, after: torch.Tensor | None) -> bool:
    if before is None or after is None:
        return before is not after
    return not torch.equal(before, after)
