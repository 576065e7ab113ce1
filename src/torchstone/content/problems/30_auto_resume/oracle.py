"""Judge the events of every run: real training, and the same bits after every kill.

Nothing here is a time. What a run reported is compared with an uninterrupted run of the same call,
and, where the model is linear, with the training computed again from the logged samples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from torchstone.judge.kit import Case, Exact, Expected, Holds

# Eight digits, and more only where they are needed.
CHECKPOINT = re.compile(r"ckpt_(\d{8}|[1-9]\d{8,})\.pt\Z")
# A side file is smaller, so anything larger beside the checkpoints is a leftover.
SIDE_BYTES = 4096
# Float32 noise hardly compresses: a file that holds it is not much smaller than the noise.
LEAST_SHARE = 0.7
# The number of samples whose order does not come twice by chance.
ENOUGH = 12
# What depends on the seed, in the order in which a run reports it for each sample.
OF_SEED = (
    ("order of samples", "样本顺序"),
    ("numbers of random", "random 的随机数"),
    ("numbers of numpy", "numpy 的随机数"),
    ("numbers of torch", "torch 的随机数"),
)
Say = Callable[[str, str], bool]

# The logged losses and weights come from the same float64 arithmetic, in another order.
TOLERANCE = 1e-10


def expect(case: Case) -> Expected:
    """Return what every run of the case must report."""
    params = case.secret["params"]
    if params["op"] == "manager":
        return _manager(params)
    return Judgement(case).expected()


class Step(NamedTuple):
    """One step that a run has reported: its samples with their draws, and its loss."""

    number: int
    samples: list[list[Any]]
    loss: float


class Steps:
    """What the events of a run say.

    Attributes:
        start: The values of the event of ``build``.
        steps: The finished steps.
        fault: What is wrong with the order of events, in both languages.
    """

    def __init__(self) -> None:
        """Begin without events."""
        self.start: list[Any] = []
        self.steps: list[Step] = []
        self.fault: tuple[str, str] | None = None


def read_events(events: Any, batch_size: int) -> Steps:
    """Read the events of a run: build, then for each step its samples, its loss, its report."""
    found = Steps()
    samples: list[list[Any]] = []
    loss: Any = None
    if not isinstance(events, list) or not all(map(_is_event, events)):
        found.fault = ("the events cannot be read", "事件无法读取")
        return found
    for event in events:
        name, values = event[0], event[1:]
        if name == "build":
            found.start = values
        elif name == "sample":
            samples.append(values)
        elif name == "loss":
            found.fault = found.fault or _wrong_batch(len(samples), batch_size, values, loss)
            loss = values[0]
        elif name == "step":
            number = values[0]
            if loss is None or values[1] != loss:
                found.fault = found.fault or (
                    f"on_step({number}) got a loss that loss_fn has not returned in this step",
                    f"on_step({number}) 得到的损失不是 loss_fn 在这一步返回的值",
                )
            found.steps.append(Step(number, samples, values[1]))
            samples, loss = [], None
    return found


_FORMS: dict[str, Callable[[list[Any]], bool]] = {
    "build": lambda values: len(values) > 2,
    "sample": lambda values: len(values) in (1, 4) and _is_index(values[0]),
    "loss": lambda values: len(values) == 2,
    "step": lambda values: len(values) == 2 and _is_index(values[0]),
}


def _is_index(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 20


def _is_event(event: Any) -> bool:
    """Return whether an event has the values that the probe sends: numbers, after its name."""
    if not isinstance(event, list) or not event or event[0] not in list(_FORMS):
        return False
    values = event[1:]
    return all(type(each) in (int, float, bool) for each in values) and _FORMS[event[0]](values)


def _wrong_batch(
    count: int, batch_size: int, values: Sequence[Any], earlier: Any
) -> tuple[str, str] | None:
    if earlier is not None:
        return "loss_fn ran twice in one step", "同一步里调用了两次 loss_fn"
    if count != batch_size:
        return (
            f"{count} samples were taken for a batch of {batch_size}: every sample that is taken "
            "belongs to the step that follows",
            f"为大小 {batch_size} 的批取了 {count} 个样本：取出的样本都应属于紧接着的这一步",
        )
    if values[1] is not True:
        return "the model is not in train mode", "模型不在训练模式"
    return None


class Judgement:
    """Compare the runs of one case; predicates of earlier keys leave facts for later ones."""

    def __init__(self, case: Case) -> None:
        """Take the plan of the case."""
        params = self._params = case.secret["params"]
        self._data = case.secret["data"]
        self._runs = [act for act in params["script"] if act["do"] == "run"]
        self._before = _acts_before(params["script"])
        self._group: str = params["group"]
        self._first: Steps = Steps()
        self._hash: Any = None
        # Of each folder: how many steps are done, and which checkpoints must be there.
        self._done: dict[str, int] = {}
        self._saved: dict[str, list[int]] = {}

    def expected(self) -> Expected:
        """Return the expectations, in the order in which they are checked."""
        found: Expected = {}
        for number, run in enumerate(self._runs):
            found |= self._of_run(number, run)
        return found

    def _of_run(self, number: int, run: dict[str, Any]) -> Expected:
        name = f"run{number}"
        may_raise = "may_raise" in run.get("data", {})
        found: Expected = {
            f"{name}:events": _told(lambda x, say: self._events(number, run, x, say))
        }
        found[f"{name}:outside"] = _told(_nothing_outside)
        found[f"{name}:files"] = _told(lambda x, say: self._files(number, run, x, say))
        is_killed = "kill" in run or "growth" in run
        if may_raise:
            found[f"{name}:error"] = _told(_has_raised)
        elif not is_killed:
            found[f"{name}:ended"] = Exact("answered")
            found[f"{name}:hash"] = _told(lambda x, say: self._final(number, run, x, say))
            found[f"{name}:threads"] = _told(_no_threads)
        if self._params["mode"] == "plain":
            for part in ("weight", "bias"):
                found[f"{name}:final.{part}"] = _told(partial(self._weights, part))
        return found

    # Events

    def _events(self, number: int, run: dict[str, Any], events: Any, say: Say) -> bool:
        read = read_events(events, self._params["batch_size"])
        if read.fault is not None:
            return say(
                f"start {number + 1}: {read.fault[0]}", f"第 {number + 1} 次启动：{read.fault[1]}"
            )
        if not self._continues(number, run, read, say):
            return False
        if number == 0:
            self._first = read
            return self._trains(read, say)
        if self._group == "seed":
            return self._differs(read, say)
        return self._repeats(number, read, say)

    def _continues(self, number: int, run: dict[str, Any], read: Steps, say: Say) -> bool:
        """Check that no step is skipped, and that no more are lost than may be."""
        home, every = run["in"], self._params["save_every"]
        total = run.get("data", {}).get("total_steps", self._params["total_steps"])
        steps = [step.number for step in read.steps]
        done, exact = self._entering(number, run)
        first = steps[0] if steps else None
        if first is not None and steps != list(range(first, first + len(steps))):
            return say(
                f"start {number + 1} reported the steps {steps}: a step is missing or comes twice",
                f"第 {number + 1} 次启动报告的步是 {steps}：有的步缺失或重复",
            )
        # A kill may come while a thread still saves.
        lowest = done if exact else max(0, done - 2 * every)
        if first is None:
            first = lowest if "kill" in run or "growth" in run else total
        if not lowest <= first <= done:
            return say(
                f"start {number + 1} began with step {first}; {done} steps were done, so it begins "
                f"with {_span(lowest, done, 'en')}",
                f"第 {number + 1} 次启动从第 {first} 步开始；此前已完成 {done} 步，"
                f"应从{_span(lowest, done, 'zh')}开始",
            )
        ended = max(done, first + len(steps))
        if not ("kill" in run or "growth" in run or "may_raise" in run.get("data", {})):
            if ended != total:
                return say(
                    f"start {number + 1} ended after {ended} steps; total_steps is {total}",
                    f"第 {number + 1} 次启动在 {ended} 步后结束；total_steps 是 {total}",
                )
            self._note_saved(home, total)
        self._done[home] = ended
        return True

    def _entering(self, number: int, run: dict[str, Any]) -> tuple[int, bool]:
        """Return how many steps were done, and whether that is exactly where the run begins."""
        home = run["in"]
        for act in self._before[number]:
            if act["do"] == "copy":
                self._done[act["to"]] = self._done.get(act["from"], 0)
                self._saved[act["to"]] = list(self._saved.get(act["from"], []))
            elif act["do"] == "damage":
                kept = self._saved.get(home, [])
                # All files, or the newest one.
                self._saved[home] = kept[:-1] if act["pick"] is not None else []
        done = self._done.get(home, 0)
        if self._group in ("kill", "kill-in-save"):
            return done, False
        saved = self._saved.get(home, [])
        return (saved[-1] if saved else 0), True

    def _note_saved(self, home: str, total: int) -> None:
        every, keep = self._params["save_every"], self._params["keep_last"]
        steps = {step for step in range(1, total + 1) if step % every == 0 or step == total}
        # An earlier run may have ended at another step, where it has saved as well.
        steps |= set(self._saved.get(home, []))
        self._saved[home] = sorted(steps)[-keep:]

    def _trains(self, read: Steps, say: Say) -> bool:
        """Check the order of samples, and that the draws of a run do not repeat."""
        params = self._params
        per_epoch = params["samples"] // params["batch_size"]
        orders: list[list[int]] = []
        for step in read.steps:
            if step.number % per_epoch == 0 or not orders:
                orders.append([])
            orders[-1] += [sample[0] for sample in step.samples]
        for epoch, order in enumerate(orders):
            if len(set(order)) != len(order):
                return say(
                    f"epoch {epoch} takes a sample twice: {order}",
                    f"第 {epoch} 个 epoch 重复取了样本：{order}",
                )
            # Of fewer samples two orders could be equal by chance.
            if epoch and len(order) >= ENOUGH and order == orders[0][: len(order)]:
                return say(
                    f"epoch {epoch} has the order of epoch 0",
                    f"第 {epoch} 个 epoch 的顺序与第 0 个相同",
                )
        if orders and len(orders[0]) >= ENOUGH and orders[0] == sorted(orders[0]):
            return say("the samples come in their own order", "样本按原来的顺序出现，没有打乱")
        if params["mode"] == "plain":
            return self._recomputes(read, say)
        samples = [sample for step in read.steps for sample in step.samples]
        columns = [[sample[at] for sample in samples if len(sample) == 4] for at in (1, 2, 3)]
        if any(len(set(column)) != len(column) for column in columns):
            return say(
                "the augmentation draws the same number twice: a generator is set back",
                "数据增强两次抽到同一个数：某个随机数生成器被重置了",
            )
        return True

    def _weights(self, part: str, value: Any, say: Say) -> bool:
        """Compare what train returned with the weights that its samples lead to."""
        if not self._first.start or not isinstance(value, Tensor):
            return say(f"there is no tensor {part}", f"没有张量 {part}")
        wanted = retrain(self._first, self._data, self._params)[0][part]
        if value.shape != wanted.shape or value.dtype != wanted.dtype:
            return say(f"{part} has another shape or dtype", f"{part} 的形状或 dtype 不对")
        if not bool(((value - wanted).abs() <= TOLERANCE * (1 + wanted.abs())).all()):
            return say(
                f"{part} is not what training on the samples that were taken gives",
                f"{part} 与用取出的样本训练所得的结果不同",
            )
        return True

    def _recomputes(self, read: Steps, say: Say) -> bool:
        """Train again from the logged samples, and compare every loss."""
        if len(read.start) != 7 or any(
            sample[0] >= self._params["samples"] for step in read.steps for sample in step.samples
        ):
            return say("the samples cannot be read", "样本无法读取")
        _, losses = retrain(read, self._data, self._params)
        for step, loss in zip(read.steps, losses, strict=True):
            if not abs(step.loss - loss) <= TOLERANCE * (1 + abs(loss)):
                return say(
                    f"the loss of step {step.number} is {step.loss:.6g}; training on the samples "
                    f"that were taken gives {loss:.6g}",
                    f"第 {step.number} 步的损失是 {step.loss:.6g}；用取出的样本训练应得 {loss:.6g}",
                )
        return True

    def _differs(self, read: Steps, say: Say) -> bool:
        first = self._first
        if read.start == first.start:
            return say("another seed gives the same weights", "换了 seed，初始权重却相同")
        for pick, (en, zh) in enumerate(OF_SEED):
            mine, other = (
                [sample[pick] for step in each.steps for sample in step.samples]
                for each in (read, first)
            )
            if mine == other:
                return say(f"another seed gives the same {en}", f"换了 seed，{zh}却相同")
        return True

    def _repeats(self, number: int, read: Steps, say: Say) -> bool:
        """Compare every step with the same step of the uninterrupted run, bit for bit."""
        known = {step.number: step for step in self._first.steps}
        for step in read.steps:
            wanted = known.get(step.number)
            if wanted is None:
                continue
            taken, right = ([each[0] for each in which.samples] for which in (step, wanted))
            place = f"start {number + 1}, step {step.number}"
            place_zh = f"第 {number + 1} 次启动的第 {step.number} 步"
            if taken != right:
                return say(
                    f"{place} took the samples {taken}; the uninterrupted run took {right}",
                    f"{place_zh}取了样本 {taken}；不中断的运行取的是 {right}",
                )
            if step.samples != wanted.samples:
                return say(
                    f"{place}: the augmentation drew other numbers than in the uninterrupted run",
                    f"{place_zh}：数据增强抽到的随机数与不中断的运行不同",
                )
            if step.loss != wanted.loss:
                return say(
                    f"{place} has the loss {step.loss!r}; in the uninterrupted run it is "
                    f"{wanted.loss!r}",
                    f"{place_zh}的损失是 {step.loss!r}；不中断的运行中是 {wanted.loss!r}",
                )
        return True

    # What was seen from outside

    def _files(self, number: int, run: dict[str, Any], files: Any, say: Say) -> bool:
        if not isinstance(files, list) or not all(map(_is_entry, files)):
            return say("the directory cannot be read", "目录无法读取")
        names = {name: size for name, size, kind in files if kind == "file"}
        checkpoints = {
            int(match[1]): size for name, size in names.items() if (match := CHECKPOINT.match(name))
        }
        least = LEAST_SHARE * 4 * self._params["ballast"]
        small = [step for step, size in checkpoints.items() if size < least]
        if small and self._group == "kill-in-save":
            return say(
                f"after the kill in start {number + 1} the file of step {small[0]} has its final "
                f"name and is incomplete ({checkpoints[small[0]]} bytes)",
                f"第 {number + 1} 次启动被杀后，第 {small[0]} 步的文件已用最终文件名，"
                f"内容却不完整（{checkpoints[small[0]]} 字节）",
            )
        if "kill" in run or "growth" in run:
            return True
        return self._complete(number, run, names, checkpoints, say)

    def _complete(
        self,
        number: int,
        run: dict[str, Any],
        names: dict[str, int],
        checkpoints: dict[int, int],
        say: Say,
    ) -> bool:
        """Check the directory after a run that was not killed."""
        wanted = self._saved.get(run["in"], [])
        if "may_raise" in run.get("data", {}):
            if wanted and wanted[-1] not in checkpoints:
                return say(
                    f"the save that failed removed the checkpoint of step {wanted[-1]}",
                    f"保存失败，却把第 {wanted[-1]} 步的检查点删掉了",
                )
            return True
        others = {name: size for name, size in names.items() if not CHECKPOINT.match(name)}
        if self._group == "moved" and run["in"] != "a":
            missing = {"notes.txt", "ckpt_best.pt"} - others.keys()
            if missing:
                name = min(missing)
                return say(f"the foreign file {name} is gone", f"不属于检查点的文件 {name} 不见了")
        large = [name for name, size in others.items() if size >= SIDE_BYTES]
        if large or len(others) > self._params["keep_last"] + 4:
            name = min(large or others)
            return say(
                f"after the last save {name} is left beside the checkpoints",
                f"最后一次保存之后，检查点旁还留着 {name}",
            )
        # Whatever was damaged counts as a file until it is replaced.
        found = sorted(checkpoints)
        if self._group not in ("kill", "kill-in-save", "damage") and found != wanted:
            return say(
                f"the directory has the checkpoints {found}; they should be {wanted}",
                f"目录中的检查点是 {found}；应为 {wanted}",
            )
        if len(found) > self._params["keep_last"]:
            return say(
                f"{len(found)} checkpoints are left; keep_last is {self._params['keep_last']}",
                f"留下了 {len(found)} 个检查点；keep_last 是 {self._params['keep_last']}",
            )
        return True

    def _final(self, number: int, run: dict[str, Any], value: Any, say: Say) -> bool:
        total = run.get("data", {}).get("total_steps", self._params["total_steps"])
        if not isinstance(value, str):
            return say("the state_dict was not hashed", "没有得到 state_dict 的哈希")
        if number == 0:
            self._hash = (total, value)
            return True
        is_comparable = self._hash is not None and total == self._hash[0]
        if is_comparable and self._group != "seed" and value != self._hash[1]:
            return say(
                f"start {number + 1} returned a state_dict with other bytes than the "
                "uninterrupted run",
                f"第 {number + 1} 次启动返回的 state_dict 与不中断的运行逐字节不同",
            )
        return True


def _is_entry(entry: Any) -> bool:
    """Return whether this is an entry of a directory: name, size, kind."""
    kinds = [type(each) for each in entry] if isinstance(entry, list) else []
    return kinds == [str, int, str]


def _told(check: Callable[[Any, Say], bool]) -> Holds:
    """Return an expectation whose check says in both languages what is wrong."""
    words = {"en": "as the statement asks", "zh": "符合题目要求"}

    def say(en: str, zh: str) -> bool:
        words.update(en=en, zh=zh)
        return False

    # The bits of two programs that draw in another order differ, whatever both forget.
    return Holds(lambda value: check(value, say), words, is_fault_in_words=True)


def _acts_before(script: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """List, for each run, the acts between it and the run before."""
    found: list[list[dict[str, Any]]] = []
    waiting: list[dict[str, Any]] = []
    for act in script:
        if act["do"] == "run":
            found.append(waiting)
            waiting = []
        else:
            waiting.append(act)
    return found


def _span(lowest: int, highest: int, lang: str) -> str:
    if lowest == highest:
        return f"step {lowest}" if lang == "en" else f"第 {lowest} 步"
    if lang == "en":
        return f"a step from {lowest} to {highest}"
    return f"第 {lowest} 到第 {highest} 步之间"


def _nothing_outside(value: Any, say: Say) -> bool:
    if isinstance(value, list) and not value:
        return True
    if not isinstance(value, list):
        return say("the disk cannot be read", "磁盘无法读取")
    return say(f"{value[0]!r} was written outside the directory", f"在目录之外写了 {value[0]!r}")


def _has_raised(value: Any, say: Say) -> bool:
    if isinstance(value, str):
        return True
    return say(
        "the disk was full, and train returned as if the checkpoint were saved",
        "磁盘已满，train 却像保存成功一样返回了",
    )


def _no_threads(value: Any, say: Say) -> bool:
    if type(value) is int and value == 0:
        return True
    return say("a thread outlives train", "train 返回后仍有线程在运行")


def retrain(
    read: Steps, data: dict[str, Any], params: dict[str, Any]
) -> tuple[dict[str, Tensor], list[float]]:
    """Repeat the linear training in float64 from the logged samples; return weights and losses."""
    weight = torch.tensor(read.start[2:], dtype=torch.float64)
    velocity, losses, lr = torch.zeros_like(weight), [], params["lr"]
    inputs = torch.cat([data["x"], torch.ones(len(data["x"]), 1, dtype=torch.float64)], 1)
    for number, step in enumerate(read.steps):
        chosen = [sample[0] for sample in step.samples]
        error = inputs[chosen] @ weight - data["y"][chosen]
        losses.append(float((error**2).mean()))
        gradient = 2 * (error[:, None] * inputs[chosen]).mean(0)
        velocity = gradient if number == 0 else 0.9 * velocity + gradient
        weight = weight - lr * velocity
        lr *= params["gamma"] or 1.0
    return {"weight": weight[None, :-1], "bias": weight[-1:]}, losses


def _manager(params: dict[str, Any]) -> Expected:
    last = params["at"][-1]
    notes = {
        "none": {
            "en": "load() of an empty directory is not None",
            "zh": "空目录的 load() 应返回 None",
        },
        "state": {
            "en": "load() in a new process does not return the state that was passed to save",
            "zh": "新进程中 load() 得到的状态与传给 save 的不同",
        },
    }
    found: Expected = {
        f"run0:keep {number}": Exact(
            "ValueError",
            note={
                "en": f"keep_last={number} does not raise ValueError",
                "zh": f"keep_last={number} 没有抛出 ValueError",
            },
        )
        for number in (0, -1)
    }
    found |= {
        "run0:empty": Exact(None, note=notes["none"]),
        "run0:no steps": Exact([]),
        "run1:steps": Exact(params["at"][-2:]),
        "run1:names": Exact(
            [f"ckpt_{step:08d}.pt" for step in params["at"][-2:]],
            note={
                "en": "the names of the files in the directory",
                "zh": "目录中各检查点的文件名",
            },
        ),
        "run1:kept by default": Exact([2, 3, 4]),
        "run1:durable": Exact(
            True,
            note={
                "en": "save() does not sync the temporary file, rename it and then sync the "
                "directory, in this order",
                "zh": "save() 没有依次 fsync 临时文件、改名、再 fsync 目录",
            },
        ),
        "run2:loaded": Exact(last),
        "run2:right": Exact(True, note=notes["state"]),
    }
    return found | {f"run{number}:outside": _told(_nothing_outside) for number in range(3)}
