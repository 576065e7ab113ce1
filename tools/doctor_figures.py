"""Draw the figures of the doctor's chapters for the handbook: a step, a gap, a queue, an overlap.

Each figure is a run of ``torchstone.doctor.simulate``, drawn to scale; nothing is measured. The
figures have no background; their colours are readable on light and on dark pages.

Usage: ``python tools/doctor_figures.py [--check]``; ``--check`` writes nothing and exits with 1 if
a committed figure is out of date.
"""

import argparse
import html
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from torchstone.doctor.simulate import Recording, run
from torchstone.doctor.simulate.actions import Copy, Exchange, Kernel, Load, Op, Step, Sync
from torchstone.doctor.simulate.machine import LABELS, MAIN

ROOT = Path(__file__).resolve().parent.parent
HANDBOOK = ROOT / "docs" / "handbook"
LANGS = ("en", "zh")
INK, BLUE, ORANGE = "#6e7781", "#2f81f7", "#db6d28"
FONTS = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
MIDDLE, END, BOLD = ' text-anchor="middle"', ' text-anchor="end"', ' font-weight="600"'
THIN = f'stroke="{INK}" stroke-opacity="0.5"'

Said = dict[str, str]
Part = tuple[float, float, str]
Drawing = tuple[int, int, list[str]]

# The names of lanes and of what happens on them: English, Chinese.
WORDS = {
    "host": ("host", "主机"),
    "device": ("device", "设备"),
    "copies": ("copies", "复制流"),
    "link": ("link", "链路"),
    "account": ("account", "账目"),
    "compute": ("compute", "计算"),
    "communication": ("communication", "通信"),
    "copy": ("copy", "复制"),
    "loader": ("loader", "加载器"),
    "sync": ("synchronise", "同步"),
    "launch": ("launch", "启动"),
    "operator": ("operator", "算子"),
    "python": ("Python", "Python"),
    "unexplained": ("unexplained", "无法解释"),
}
LOOKS = {
    "compute": (BLUE, 0.3),
    "communication": (BLUE, 0.18),
    "copy": (BLUE, 0.08),
    "loader": (ORANGE, 0.35),
    "operator": (ORANGE, 0.12),
    "launch": (ORANGE, 0.22),
    "sync": (INK, 0.08),
    "python": (INK, 0.3),
    "unexplained": (INK, 0.0),
}
LEFT, ROW, BAR, TOP = 76, 36, 24, 46


def text(x: float, y: float, said: str, size: float = 12.5, look: str = "") -> str:
    """Draw a line of text."""
    said = html.escape(said, quote=False)
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{look}>{said}</text>'


def box(x: float, y: float, width: float, kind: str) -> str:
    """Draw a rectangle in the look of a kind."""
    colour, opacity = LOOKS[kind]
    place = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{BAR}"'
    dashed = ' stroke-dasharray="3 2"' if kind == "unexplained" else ""
    return f'<rect {place} fill="{colour}" fill-opacity="{opacity:g}" {THIN}{dashed}/>'


def host_parts(recording: Recording) -> list[Part]:
    """Return what the main thread does, one after the other."""
    found: list[Part] = []
    for segment in recording.ledger[MAIN]:
        label = next((name for at, name in enumerate(LABELS) if segment.bits >> at & 1), "python")
        if found and found[-1][2] == label and found[-1][1] == segment.begin:
            found[-1] = (found[-1][0], segment.end, label)
        else:
            found.append((segment.begin, segment.end, label))
    return found


def device_parts(recording: Recording, kind: type) -> list[Part]:
    """Return the work of a kind on the device."""
    names = {Kernel: "compute", Exchange: "communication", Copy: "copy"}
    return [
        (item.begin, item.end, names[kind])
        for item in recording.items
        if isinstance(item.work, kind)
    ]


def account_parts(recording: Recording) -> list[Part]:
    """Return each moment of the run with its place in the account."""
    busy = [device_parts(recording, kind) for kind in (Kernel, Exchange, Copy)]
    host = host_parts(recording)
    calls = {item.begin: item.call_end for item in recording.items}
    begin, last = recording.steps[0][0], max(recording.steps[-1][1], *(e for _, e, _ in busy[0]))
    cuts = {begin, last, *calls.values(), *(t for b, e, _ in host for t in (b, e))}
    cuts |= {t for parts in busy for b, e, _ in parts for t in (b, e)}
    found: list[Part] = []
    for left, right in pairwise(sorted(cut for cut in cuts if begin <= cut <= last)):
        running = [kind for parts in busy for b, e, kind in parts if b <= left and right <= e]
        label = running[0] if running else _idle(left, calls, host)
        if found and found[-1][2] == label:
            found[-1] = (found[-1][0], right, label)
        else:
            found.append((left, right, label))
    return found


def _idle(moment: float, calls: dict[int, int], host: list[Part]) -> str:
    """Return what a moment of a gap is charged to."""
    ends = min((begin for begin in calls if begin > moment), default=None)
    if ends is not None and moment >= calls[ends]:
        return "unexplained"
    return next((kind for begin, end, kind in host if begin <= moment < end), "python")


def timeline(said: Said, recording: Recording, top: float, px: float) -> tuple[float, list[str]]:
    """Draw lanes and the account below each other; return the bottom and the drawing."""
    lanes = [("host", host_parts(recording)), ("device", device_parts(recording, Kernel))]
    lanes += [("copies", device_parts(recording, Copy))]
    lanes += [("link", device_parts(recording, Exchange))]
    lanes = [(name, parts) for name, parts in lanes if parts]
    lanes.append(("account", account_parts(recording)))
    drawn: list[str] = []
    for at, (name, parts) in enumerate(lanes):
        y = top + ROW * at + (10 if name == "account" else 0)
        drawn.append(text(LEFT - 8, y + 16, said[name], 12.5, END))
        drawn += _bars(said, parts, y, px)
    return top + ROW * len(lanes) + 10, drawn


def _bars(said: Said, parts: list[Part], y: float, px: float) -> Iterator[str]:
    for begin, end, kind in parts:
        x, width = LEFT + begin * px / 1e3, (end - begin) * px / 1e3
        yield box(x, y, width, kind)
        wide = sum(13 if ord(letter) > 0x2E80 else 7 for letter in said[kind])
        if width > wide + 4:
            yield text(x + width / 2, y + 16, said[kind], 12, MIDDLE)


def legend(said: Said, recordings: list[Recording], y: float) -> tuple[int, list[str]]:
    """Draw a box and a name for each kind that the figure has; return where it ends, too."""
    kinds = {kind for each in recordings for _, _, kind in account_parts(each) + host_parts(each)}
    drawn, x = [], float(LEFT)
    for kind in (kind for kind in LOOKS if kind in kinds):
        drawn += [box(x, y, BAR * 0.75, kind), text(x + 24, y + 16, said[kind])]
        x += 42 + sum(13 if ord(letter) > 0x2E80 else 7 for letter in said[kind])
    return round(x), drawn


def product(
    device_us: float, *, us: float = 60, call_us: float = 60, latency_us: float = 100
) -> Op:
    """Return an operator that launches one kernel."""
    kernel = Kernel(us=call_us, latency_us=latency_us, device_us=device_us, name="gemm")
    return Op(name="aten::mm", us=us, do=(kernel,))


STEP = {
    "title": (
        "One step: the host, the device, and the account of each microsecond",
        "一步：主机、设备，以及每一微秒记在哪里",
    ),
}


def step(said: Said) -> Drawing:
    """Draw a step with a loader, a copy beside kernels, and a wait at its end."""
    copy = Copy(us=60, size=4_000_000, gbps=20.0, pinned=True, stream=13, latency_us=100)
    return _one(said, (Load(us=420), copy, product(420), product(300), Sync(us=20)), 0.5)


GAP = {
    "title": (
        "A gap between two kernels: what the host did in it, and until when the host was late",
        "两个核函数之间的空隙：主机在其间做了什么，又迟到何时为止",
    ),
}


def gap(said: Said) -> Drawing:
    """Draw the gap behind a synchronising call."""
    first = product(260, us=40, call_us=50, latency_us=80)
    second = product(260, us=160, call_us=80, latency_us=150)
    return _one(said, (first, Sync(us=20), Load(us=220), second, Sync(us=20)), 0.66)


def _one(said: Said, steps: Step, px: float) -> Drawing:
    (recording,) = run([(steps,)])
    bottom, drawn = timeline(said, recording, TOP - 34, px)
    right, names = legend(said, [recording], bottom + 6)
    width = LEFT + account_parts(recording)[-1][1] * px / 1e3 + 16
    return max(round(width), right), round(bottom) + 40, drawn + names


QUEUE = {
    "title": (
        "Twelve launches: kernels of 120 µs hide the host, kernels of 15 µs wait for it",
        "十二次启动：120 µs 的核函数盖住了主机，15 µs 的核函数则在等主机",
    ),
    "ahead": ("kernels of 120 µs: the queue is never empty", "核函数 120 µs：队列从不见底"),
    "behind": ("kernels of 15 µs: each finds an empty queue", "核函数 15 µs：每个都遇上空队列"),
}


def queue(said: Said) -> Drawing:
    """Draw the same launches of long and of short kernels."""
    drawn: list[str] = []
    recordings, top = [], float(TOP)
    for key, device_us in (("ahead", 120.0), ("behind", 15.0)):
        launches = (product(device_us, us=30, call_us=20, latency_us=26),) * 12
        (recording,) = run([(launches,)])
        recordings.append(recording)
        drawn.append(text(LEFT, top - 10, said[key], 13.5, BOLD))
        bottom, lanes = timeline(said, recording, top, 0.5)
        drawn += lanes
        top = bottom + 40
    right, names = legend(said, recordings, top - 34)
    return max(840, right), round(top), drawn + names


OVERLAP = {
    "title": (
        "An exchange behind the backward pass is exposed; in two buckets only the last part is",
        "反向之后再交换，全部暴露；分成两桶，暴露的只有最后一段",
    ),
    "behind": ("one exchange behind all layers", "所有层算完再交换一次"),
    "beside": ("two buckets, the first beside the layers", "两个桶，第一桶与计算同时进行"),
}


def overlap(said: Said) -> Drawing:
    """Draw the same bytes exchanged once and in two buckets."""
    layer = product(150, us=10, call_us=8, latency_us=12)
    drawn: list[str] = []
    recordings, top = [], float(TOP)
    for key, buckets in (("behind", (0, 480)), ("beside", (240, 240))):
        first, second = (_exchange(us) for us in buckets)
        middle = (first,) if buckets[0] else ()
        (recording,) = run([((layer, layer, *middle, layer, layer, second, Sync(us=10)),)])
        recordings.append(recording)
        drawn.append(text(LEFT, top - 10, said[key], 13.5, BOLD))
        bottom, lanes = timeline(said, recording, top, 0.6)
        drawn += lanes
        top = bottom + 40
    right, names = legend(said, recordings, top - 34)
    return max(740, right), round(top), drawn + names


def _exchange(device_us: float) -> Op:
    return Op(name="c10d::allreduce_", us=10, do=(Exchange(us=8, device_us=device_us),))


FIGURES: dict[str, tuple[Callable[[Said], Drawing], dict[str, tuple[str, str]]]] = {
    "step": (step, STEP),
    "gap": (gap, GAP),
    "queue": (queue, QUEUE),
    "overlap": (overlap, OVERLAP),
}


def write_figure(name: str, lang: str) -> str:
    """Write a figure in a language as SVG."""
    draw, words = FIGURES[name]
    said = {key: both[LANGS.index(lang)] for key, both in {**WORDS, **words}.items()}
    width, height, drawn = draw(said)
    title = html.escape(said["title"])
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{title}" fill="currentColor" color="{INK}" font-family="{FONTS}">'
    )
    return "\n".join([head, f"<title>{title}</title>", *drawn, "</svg>", ""])


def main() -> int:
    """Write the figures; with ``--check`` print which of them are out of date."""
    parser = argparse.ArgumentParser(description="Draw the figures of the doctor's chapters.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    is_check = parser.parse_args().check
    stale = []
    for lang in LANGS:
        for name in FIGURES:
            path, drawn = HANDBOOK / lang / f"figure_{name}.svg", write_figure(name, lang)
            if not path.is_file() or path.read_text(encoding="utf-8") != drawn:
                stale.append(path.relative_to(ROOT).as_posix())
                if not is_check:
                    path.write_text(drawn, encoding="utf-8")
    for name in stale:
        print(f"{'not current' if is_check else 'wrote'}: {name}")
    return 1 if is_check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
