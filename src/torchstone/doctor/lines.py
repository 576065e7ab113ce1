"""Attribution of time to source lines, and to the lines that the user can edit.

A Python frame is charged with its self time. Two places are reported: the deepest frame that has a
file, which tells where the time is spent, and the deepest frame in a file of the user, which tells
what to change. A C function has no file: its caller is reported.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from torchstone.doctor.correlate import nesting
from torchstone.doctor.events import NONE, Events, Floats, Ints
from torchstone.doctor.intervals import Intervals

# Installed packages, which users do not edit. The profiler strips the ``sys.path`` folder from a
# path, so that only its first component identifies the package.
LIBRARIES = {
    *("accelerate", "apex", "av", "cupy", "cv2", "datasets", "deepspeed", "diffusers", "einops"),
    *("fastai", "fairscale", "flash_attn", "fsspec", "huggingface_hub", "ignite", "imageio"),
    *("jax", "joblib", "librosa", "lightning", "lightning_fabric", "lmdb", "megatron", "numba"),
    *("numpy", "onnx", "onnxruntime", "pandas", "peft", "PIL", "pyarrow", "pytorch_lightning"),
    *("regex", "safetensors", "scipy", "sentencepiece", "sklearn", "skimage", "sglang", "timm"),
    *("tokenizers", "torch", "torchaudio", "torchtext", "torchvision", "tqdm", "transformers"),
    *("transformer_engine", "triton", "vllm", "webdataset", "xformers"),
}
# Packages that compute on behalf of their caller.
_LEAVES = {
    "PIL",
    "av",
    "cv2",
    "imageio",
    "librosa",
    "numpy",
    "pandas",
    "scipy",
    "skimage",
    "sklearn",
}
# File, line and function of a frame.
Parsed = tuple[str, int, str]
_FRAME = re.compile(r"^(?P<file>.+?)\((?P<line>\d+)\): (?P<function>.+)$")
_INSTALLED = re.compile(r"(site|dist)-packages/|/lib/python\d")
# Runners through which the doctor records or measures a program.
_RUNNERS = re.compile(r"(^|/)torchstone/doctor/capture/")
# Frames of a process before the user's file, and wrappers of calls.
_STARTERS = {"<module>"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Source line, and its share of the finding's time."""

    file: str
    line: int
    function: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Source lines by their share of the time, largest first.

    Attributes:
        deepest: By the deepest frame that has a file.
        own: By the deepest frame that the user can edit.
        callers: By the deepest frame outside of array and image libraries and the standard library,
            which compute on behalf of their caller.
    """

    deepest: list[Place]
    own: list[Place]
    callers: list[Place]


class Frames:
    """Python frames of a rank."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._rows = np.flatnonzero(events.python != NONE)
        self._parsed = {
            int(name): _parse(events.names[int(name)])
            for name in np.unique(events.name[self._rows])
        }
        self._lanes = _lanes(events, self._rows)
        self._parents = _parents(events, self._rows)

    def __bool__(self) -> bool:
        """Return whether the trace has frames."""
        return bool(len(self._rows))

    def places(self, times: Intervals, lane: int, *, num: int = 5) -> Places:
        """Return the source lines of a thread in given intervals, with their shares."""
        on = self._on(lane)
        if not len(on) or not times.length:
            return Places(deepest=[], own=[], callers=[])
        selves = self._self_time(on, times)
        deepest: dict[int, float] = {}
        own: dict[int, float] = {}
        callers: dict[int, float] = {}
        programs: dict[int, float] = {}
        wanted = (
            (deepest, _has_file),
            (own, _is_of_user),
            (callers, _is_caller),
            (programs, _is_program),
        )
        for at in np.flatnonzero(selves > 0).tolist():
            row = int(on[at])
            for found, is_wanted in wanted:
                name = self._around(row, is_wanted)
                if name is not None:
                    found[name] = found.get(name, 0.0) + float(selves[at])
        whole = times.length
        return Places(
            deepest=self._largest(deepest, whole, num),
            # Module-level code has no function.
            own=self._largest(own or programs, whole, num),
            callers=self._largest(callers, whole, num),
        )

    def outside_of(self, package: str, times: Intervals, lane: int) -> float:
        """Return the share of given intervals in which a thread executes no file of a package."""
        found = self.places(times, lane, num=len(self._rows)).deepest
        return sum(each.share for each in found if not each.file.startswith(f"{package}/"))

    def around(self, lane: int, begins: Floats, ends: Floats) -> Ints:
        """Return the innermost frame of a thread around each interval, or ``NONE``.

        A frame is identified by its position, as ``nearest`` expects.
        """
        on = np.flatnonzero(self._lanes == lane)
        t0, t1 = self._events.t0[self._rows], self._events.t1[self._rows]
        at = np.searchsorted(t0[on], begins, side="right") - 1
        found = np.where(at >= 0, on[np.maximum(at, 0)], NONE) if len(on) else at * 0 + NONE
        while True:
            is_short = found != NONE
            is_short[is_short] = t1[found[is_short]] < ends[is_short]
            if not is_short.any():
                return found
            found[is_short] = self._parents[found[is_short]]

    def nearest(self, frames: Ints, names: Ints) -> Ints:
        """Return for each frame the nearest enclosing frame with one of the given names."""
        is_wanted = np.zeros(len(self._events.names), dtype=bool)
        is_wanted[names] = True
        found = frames.copy()
        while True:
            is_other = found != NONE
            is_other[is_other] = ~is_wanted[self.names(found[is_other])]
            if not is_other.any():
                return found
            found[is_other] = self._parents[found[is_other]]

    def names(self, frames: Ints) -> Ints:
        """Return the name indices of frames, or ``NONE``."""
        if not len(self._rows):
            return np.full(len(frames), NONE, dtype=np.int64)
        return np.where(frames == NONE, NONE, self._events.name[self._rows[frames]])

    def callers(self, frames: Ints) -> Ints:
        """Return the callers of frames, or ``NONE``."""
        return np.where(frames == NONE, NONE, self._parents[frames])

    @cached_property
    def own(self) -> Ints:
        """Return the name indices of functions in the user's files."""
        found = [n for n, parsed in self._parsed.items() if parsed and _is_of_user(parsed)]
        return np.array(found, dtype=np.int64)

    def _on(self, lane: int) -> Ints:
        """Return a thread's frames; if it has none, those of the thread with the most frames."""
        on = np.flatnonzero(self._lanes == lane)
        if len(on) or not len(self._rows):
            return on
        # Some traces store frames without a thread.
        return np.flatnonzero(self._lanes == np.bincount(self._lanes).argmax())

    def _self_time(self, on: Ints, times: Intervals) -> Floats:
        rows = self._rows[on]
        whole = times.within(self._events.t0[rows], self._events.t1[rows])
        selves = whole.copy()
        at = np.full(len(self._rows), NONE, dtype=np.int64)
        at[on] = np.arange(len(on))
        parents = self._parents[on]
        has_parent = parents != NONE
        inside = at[parents[has_parent]]
        np.subtract.at(selves, inside[inside != NONE], whole[has_parent][inside != NONE])
        return selves

    def _around(self, row: int, is_wanted: Callable[[Parsed], bool]) -> int | None:
        """Return the name of the deepest wanted frame: this one or an ancestor."""
        while row != NONE:
            name = int(self._events.name[self._rows[row]])
            parsed = self._parsed[name]
            if parsed is not None and is_wanted(parsed):
                return name
            row = int(self._parents[row])
        return None

    def _largest(self, shares: dict[int, float], whole: float, num: int) -> list[Place]:
        names = sorted(shares, key=lambda name: (-shares[name], self._events.names[name]))
        return [self._place(name, shares[name] / whole) for name in names[:num]]

    def _place(self, name: int, share: float) -> Place:
        parsed = self._parsed[name]
        assert parsed is not None, "a place is a frame of a file"
        file, line, function = parsed
        return Place(file=file, line=line, function=function, share=share)


def is_own(file: str) -> bool:
    """Return whether users edit the file, judged by its path."""
    if file.startswith("<") or _INSTALLED.search(file) or is_runner(file):
        return False
    first = file.lstrip("/").split("/")[0].removesuffix(".py")
    is_module = not file.startswith("/")
    return not (is_module and (first in LIBRARIES or first in sys.stdlib_module_names))


def is_runner(file: str) -> bool:
    """Return whether the file belongs to the doctor's runner."""
    return _RUNNERS.search(file) is not None


def _has_file(parsed: Parsed) -> bool:
    return not (parsed[0].startswith("<") or is_runner(parsed[0]))


def _is_caller(parsed: Parsed) -> bool:
    first = parsed[0].lstrip("/").split("/")[0].removesuffix(".py")
    is_module = not parsed[0].startswith("/")
    is_leaf = is_module and (first in _LEAVES or first in sys.stdlib_module_names)
    return _has_file(parsed) and not is_leaf


def _is_of_user(parsed: Parsed) -> bool:
    return is_own(parsed[0]) and parsed[2] not in _STARTERS


def _is_program(parsed: Parsed) -> bool:
    return is_own(parsed[0]) and parsed[0].endswith(".py")


def _parse(name: str) -> Parsed | None:
    found = _FRAME.match(name)
    if found is None:
        return None
    return found["file"], int(found["line"]), found["function"]


def _lanes(events: Events, rows: Ints) -> Ints:
    return events.lane[rows].astype(np.int64)


def _parents(events: Events, rows: Ints) -> Ints:
    """Return for each frame the position of its caller."""
    numbers = events.python[rows]
    order = np.argsort(numbers, kind="stable")
    wanted = events.parent[rows]
    at = np.searchsorted(numbers[order], wanted)
    at = np.minimum(at, max(0, len(rows) - 1))
    parents = np.full(len(rows), NONE, dtype=np.int64)
    if len(rows):
        is_there = (wanted != NONE) & (numbers[order][at] == wanted)
        parents[is_there] = order[at[is_there]]
    # Duplicate or cyclic ids are unusable: parents are derived from nesting.
    if len(np.unique(numbers)) < len(numbers) or bool((parents >= np.arange(len(rows))).any()):
        return _nested(events, rows)
    return parents


def _nested(events: Events, rows: Ints) -> Ints:
    parents = np.full(len(rows), NONE, dtype=np.int64)
    for lane in np.unique(events.lane[rows]):
        on = np.flatnonzero(events.lane[rows] == lane)
        found = nesting(events.t0[rows[on]], events.t1[rows[on]])
        parents[on] = np.where(found == NONE, NONE, on[found])
    return parents
