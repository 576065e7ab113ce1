from dataclasses import dataclass, field
from functools import partial

from torch import nn
from torch.autograd.profiler import profile, record_function

LAYER = "layer "
NODE = "autograd::engine::evaluate_function: "


@dataclass
class LayerStat:
    name: str
    type: str
    calls: int = 0
    total_us: float = 0.0
    self_us: float = 0.0
    backward_us: float = 0.0
    ops: dict[str, int] = field(default_factory=dict)


class LayerProfiler:
    def __init__(self, model: nn.Module, *, warmup: int = 1) -> None:
        if warmup < 0:
            raise ValueError(f"warmup must not be negative, but is {warmup}")
        self._model, self._warmup = model, warmup
        self._layers: list[tuple[str, nn.Module]] = list(model.named_modules())
        self._profile = None

    def __enter__(self) -> "LayerProfiler":
        self._layers = list(self._model.named_modules())
        self._handles, self._open = [], []
        self._profile, self._step = None, 0
        for number, (_, module) in enumerate(self._layers):
            begin = partial(self._begin, number)
            self._handles += [
                module.register_forward_pre_hook(begin, prepend=True),
                # An exception skips ordinary forward hooks.
                module.register_forward_hook(self._end, always_call=True),
            ]
        self._start_if_warm()
        return self

    def __exit__(self, *exc) -> None:
        for handle in self._handles:
            handle.remove()
        if self._profile is not None:
            self._profile.__exit__(None, None, None)

    def step(self) -> None:
        self._step += 1
        self._start_if_warm()

    def _start_if_warm(self) -> None:
        if self._step == self._warmup:
            self._profile = profile().__enter__()

    def _begin(self, number: int, module: nn.Module, args: tuple) -> None:
        # A label of the whole number: names may contain each other.
        label = record_function(f"{LAYER}{number}")
        label.__enter__()
        self._open.append(label)

    def _end(self, module: nn.Module, args: tuple, output: object) -> None:
        self._open.pop().__exit__(None, None, None)

    def stats(self) -> list[LayerStat]:
        rows = [LayerStat(name, type(module).__name__) for name, module in self._layers]
        owners: dict[int, LayerStat | None] = {}
        # Ranges around the current event, with the layer that each of them stands for.
        around: list[tuple[int, LayerStat | None]] = []
        for start, end, name, number in self._events():
            while around and around[-1][0] <= start:
                around.pop()
            row = None
            if name.startswith(LAYER):
                row = rows[int(name.removeprefix(LAYER))]
                add_call(row, (end - start) / 1e3, [each for _, each in around if each])
            elif name.startswith(NODE):
                if owner := owners.get(number):
                    owner.backward_us += (end - start) / 1e3
            else:
                owner = next((each for _, each in reversed(around) if each), None)
                if number >= 0:
                    # Without a node the number stays the next one's: the last owner is right.
                    owners[number] = owner
                if owner and around[-1][1] and name.startswith("aten::"):
                    owner.ops[name] = owner.ops.get(name, 0) + 1
            around.append((end, row))
        return rows

    def _events(self) -> list[tuple[int, int, str, int]]:
        """List start, end, name and number of each event; what contains another comes first."""
        if self._profile is None:
            return []
        events = [
            (each.start_ns(), each.start_ns() + each.duration_ns(), each.name(), each.sequence_nr())
            for each in self._profile.kineto_results.events()
            # An engine's range contains the node's own; a range that a layer opens is no operator.
            if each.scope() != 1 and (each.scope() != 7 or each.name().startswith(LAYER))
        ]
        return sorted(events, key=lambda event: (event[0], -event[1]))

    def table(self) -> str:
        lines = [
            f"{'layer':30} {'type':20} {'calls':>6} "
            f"{'total us':>10} {'self us':>10} {'backward us':>12}"
        ]
        lines += [
            f"{row.name or '(model)':30} {row.type:20} {row.calls:6} "
            f"{row.total_us:10.0f} {row.self_us:10.0f} {row.backward_us:12.0f}"
            for row in self.stats()
        ]
        return "\n".join(lines)


def add_call(row: LayerStat, duration: float, callers: list[LayerStat]) -> None:
    row.calls += 1
    row.self_us += duration
    if callers:
        callers[-1].self_us -= duration
    if not any(each is row for each in callers):
        row.total_us += duration
