"""Draw the figure of the chapter on diffusion, in both languages.

The figure has no background; its grey and its two colours are readable on light and on dark pages.
The program uses only the standard library, so the figure is the same on every machine.

Usage: ``python tools/diffusion_figures.py [--check]``; ``--check`` writes nothing and exits with 1
if a committed figure is out of date.
"""

import html
import itertools
import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from torchstone.core.i18n import LANGS, Lang

ROOT = Path(__file__).resolve().parent.parent
HANDBOOK = ROOT / "docs" / "handbook"
NAME = "figure_diffusion.svg"
INK, WARM, COOL = "#6e7781", "#d9730d", "#2f81f7"
MIDDLE, END = ' text-anchor="middle"', ' text-anchor="end"'
BOLD, PALE = ' font-weight="600"', ' opacity="0.9"'
FONTS = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"

# The mixture of the chapter: weight, centre, deviation; and a colour for each centre.
CENTRES = ((0.2, (-1.0, 0.5), 0.15), (0.5, (0.8, 0.2), 0.25), (0.3, (0.0, -1.0), 0.1))
COLOURS = (WARM, COOL, INK)
NUM_POINTS, NUM_STEPS = 200, 100
# The numbers of noising steps after which the points are shown; step 0 is the image.
SHOWN = (0, 25, 50, 75, 100)
SIDE, GAP, LEFT, REACH = 150.0, 17.0, 21.0, 2.6

Place = tuple[float, float]
Points = list[Place]

# The texts: English, Chinese.
WORDS = {
    "title": (
        "Points of a mixture are noised, and drawn again from noise; below, the signal-to-noise "
        "ratio of both schedules",
        "混合分布的点被加噪，又从噪声中抽取出来；下方是两种噪声表的信噪比",
    ),
    "noised": ("noised →", "加噪 →"),
    "drawn": ("← drawn from noise, with the exact model", "← 用精确模型从噪声中抽取"),
    "image": ("the data", "数据"),
    "result": ("the result", "结果"),
    "step": ("{} steps", "{} 步"),
    "ratio": ("signal-to-noise ratio", "信噪比"),
    "time": ("share of the steps", "走过的步所占比例"),
    "linear": ("linear", "线性"),
    "cosine": ("cosine", "余弦"),
}


def cosine(num_steps: int) -> list[float]:
    """Return alpha-bar after 0 ... num_steps steps, as ``torchstone.models.diffusion.cosine``."""
    times = [step / num_steps for step in range(num_steps + 1)]
    shares = [math.cos((time + 0.008) / 1.008 * math.pi / 2) ** 2 for time in times]
    ratios = (after / before for before, after in itertools.pairwise(shares))
    return _products(max(ratio, 0.001) for ratio in ratios)


def linear(num_steps: int) -> list[float]:
    """Return alpha-bar after 0 ... num_steps steps, for about 1000 of them."""
    return _products(1 - 0.0001 - 0.0199 * n / (num_steps - 1) for n in range(num_steps))


def _products(factors: Iterator[float]) -> list[float]:
    return [1.0, *itertools.accumulate(factors, lambda left, right: left * right)]


def noised(rng: random.Random) -> tuple[list[Points], list[int]]:
    """Return the points at each step that is shown, and the centre of each point."""
    weights = [weight for weight, _, _ in CENTRES]
    chosen = rng.choices(range(len(CENTRES)), weights, k=NUM_POINTS)
    alphas = cosine(NUM_STEPS)
    first = [_near(rng, *CENTRES[each][1:]) for each in chosen]
    # All steps use the same noise, so a point can be followed.
    noise = [(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in first]
    found = []
    for step in SHOWN:
        a, s = math.sqrt(alphas[step]), math.sqrt(1 - alphas[step])
        pairs = zip(first, noise, strict=True)
        found.append([(a * p[0] + s * e[0], a * p[1] + s * e[1]) for p, e in pairs])
    return found, chosen


def _near(rng: random.Random, centre: Place, std: float) -> Place:
    return centre[0] + std * rng.gauss(0, 1), centre[1] + std * rng.gauss(0, 1)


def drawn(rng: random.Random) -> tuple[list[Points], list[int]]:
    """Return points drawn with the exact model, and the centre nearest to each."""
    alphas = cosine(NUM_STEPS)
    points = [(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(NUM_POINTS)]
    found = {NUM_STEPS: points}
    for step in range(NUM_STEPS, 0, -1):
        now, before = alphas[step], alphas[step - 1]
        beta = 1 - now / before
        of_x0 = math.sqrt(before) * beta / (1 - now)
        of_x = math.sqrt(1 - beta) * (1 - before) / (1 - now)
        std = math.sqrt(beta * (1 - before) / (1 - now))
        means = [
            (of_x0 * x0[0] + of_x * x[0], of_x0 * x0[1] + of_x * x[1])
            for x, x0 in ((x, _best_guess(x, now)) for x in points)
        ]
        points = [_near(rng, mean, std) for mean in means]
        found[step - 1] = points
    return [found[step] for step in SHOWN], [_nearest(point) for point in points]


def _nearest(point: Place) -> int:
    distances = [math.dist(point, centre) for _, centre, _ in CENTRES]
    return distances.index(min(distances))


def _best_guess(x: Place, alpha_bar: float) -> Place:
    a, total, guess = math.sqrt(alpha_bar), 0.0, [0.0, 0.0]
    for weight, centre, std in CENTRES:
        variance = alpha_bar * std**2 + 1 - alpha_bar
        away = (x[0] - a * centre[0], x[1] - a * centre[1])
        share = weight / variance * math.exp(-(away[0] ** 2 + away[1] ** 2) / (2 * variance))
        total += share
        for n in range(2):
            guess[n] += share * (centre[n] + a * std**2 / variance * away[n])
    return guess[0] / total, guess[1] / total


def text(place: Place, said: str, size: float = 13, more: str = "") -> str:
    """Draw a line of text; ``more`` are further attributes."""
    said = html.escape(said, quote=False)
    return f'<text x="{place[0]:g}" y="{place[1]:g}" font-size="{size:g}"{more}>{said}</text>'


def line(start: Place, end: Place, more: str = "") -> str:
    """Draw a straight line; ``more`` are further attributes."""
    ends = f'x1="{start[0]:g}" y1="{start[1]:g}" x2="{end[0]:g}" y2="{end[1]:g}"'
    return f'<line {ends} stroke="{INK}"{more}/>'


def draw_points(top: float, steps: list[Points], centres: list[int]) -> Iterator[str]:
    """Draw a row of panels, a dot for each point, coloured by its centre."""
    for column, points in enumerate(steps):
        left = LEFT + (SIDE + GAP) * column
        yield (
            f'<rect x="{left:g}" y="{top:g}" width="{SIDE:g}" height="{SIDE:g}" rx="4" '
            f'fill="none" stroke="{INK}" opacity="0.4"/>'
        )
        for number, colour in enumerate(COLOURS):
            own = [p for p, centre in zip(points, centres, strict=True) if centre == number]
            dots = "".join(
                f"M{left + SIDE * (0.5 + x / REACH / 2):.1f} "
                f"{top + SIDE * (0.5 - y / REACH / 2):.1f}h0"
                for x, y in own
                if max(abs(x), abs(y)) < REACH
            )
            yield (
                f'<path d="{dots}" stroke="{colour}" stroke-width="3" stroke-linecap="round" '
                f'opacity="0.75"/>'
            )


def draw_ratios(said: dict[str, str], top: float) -> Iterator[str]:
    """Draw the signal-to-noise ratio of both schedules of 1000 steps, by powers of ten."""
    left, width, height, highest, lowest = 110.0, 560.0, 180.0, 4, -5

    def at(time: float, power: float) -> Place:
        y = top + height * (highest - power) / (highest - lowest)
        return round(left + width * time, 1), round(y, 1)

    yield text((left, top - 14), said["ratio"], 13, PALE)
    for power in range(highest, lowest - 1, -1):
        look = ' stroke-dasharray="5 4" opacity="0.8"' if power == -2 else ' opacity="0.2"'
        yield line(at(0, power), at(1, power), look)
    for power, name in ((4, "10,000"), (2, "100"), (0, "1"), (-2, "1/100"), (-4, "1/10,000")):
        x, y = at(0, power)
        yield text((x - 8, y + 4), name, 12, END + PALE)
    for quarter in range(5):
        x, y = at(quarter / 4, lowest)
        yield text((x, y + 18), f"{25 * quarter} %", 12, MIDDLE + PALE)
    yield text((left + width / 2, top + height + 40), said["time"], 13, MIDDLE + PALE)
    for name, alphas, colour, label in (
        ("linear", linear(1000), WARM, (0.55, -2.9)),
        ("cosine", cosine(1000), COOL, (0.8, 0.4)),
    ):
        powers = [(n / 1000, math.log10(each / (1 - each))) for n, each in enumerate(alphas) if n]
        seen = [at(*each) for each in powers[4::5] if lowest <= each[1] <= highest]
        joined = " ".join(f"{x:g},{y:g}" for x, y in seen)
        yield f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield text(at(*label), said[name], 14, f' fill="{colour}"' + BOLD)


def write_figure(lang: Lang) -> str:
    """Write the figure in a language as SVG."""
    said = {key: both[LANGS.index(lang)] for key, both in WORDS.items()}
    rng = random.Random(0)
    drawing = []
    for top, name, first, (steps, centres) in (
        (50.0, "noised", "image", noised(rng)),
        (266.0, "drawn", "result", drawn(rng)),
    ):
        drawing.append(text((LEFT, top - 28), said[name], 15, BOLD))
        for column, step in enumerate(SHOWN):
            caption = said["step"].format(step) if step else said[first]
            middle = LEFT + (SIDE + GAP) * column + SIDE / 2
            drawing.append(text((middle, top - 8), caption, 12.5, MIDDLE + PALE))
        drawing += draw_points(top, steps, centres)
    drawing += draw_ratios(said, 484.0)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 720" role="img" '
        f'aria-label="{html.escape(said["title"])}" fill="{INK}" font-family="{FONTS}">'
    )
    title = f"<title>{html.escape(said['title'], quote=False)}</title>"
    return "\n".join([head, title, *drawing, "</svg>", ""])


def main() -> int:
    """Write the figure; with ``--check`` report whether the committed one is up to date."""
    is_check, stale = "--check" in sys.argv[1:], []
    for lang in LANGS:
        path, expected = HANDBOOK / lang / NAME, write_figure(lang)
        if not path.is_file() or path.read_text(encoding="utf-8") != expected:
            stale.append(path.relative_to(HANDBOOK).as_posix())
            if not is_check:
                path.write_text(expected, encoding="utf-8")
                print(f"wrote {stale[-1]}")
    if stale and is_check:
        print(f"{', '.join(stale)}: run python tools/diffusion_figures.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
