"""Loss and accuracy curves of a training run as SVG."""

from __future__ import annotations

from pathlib import Path

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 52, 52, 24, 36
LOSS, ACCURACY, INK, RULE = "#a8622a", "#2f6d62", "#5c564b", "#d8d2c4"
NUM_RULES = 4


def draw_curve(history: list[dict[str, float]], path: Path) -> None:
    """Write the curves of loss and accuracy as an SVG file; there must be at least one epoch."""
    # Write a temporary file first, so that a reader never sees a partial picture.
    beside = path.with_name(f"{path.name}.part")
    beside.write_text(curve(history), encoding="utf-8")
    beside.replace(path)


def curve(history: list[dict[str, float]]) -> str:
    """Return the SVG text."""
    losses = [each["loss"] for each in history]
    accuracies = [each["accuracy"] for each in history]
    most = max([*losses, 1e-9])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="11" role="img">',
        f"<title>loss {losses[-1]:.4f}, accuracy {accuracies[-1]:.4f}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fbf9f4"/>',
    ]
    for step in range(NUM_RULES + 1):
        share = step / NUM_RULES
        y = _y(share)
        parts += [
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="{RULE}"/>',
            f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end" fill="{LOSS}">'
            f"{most * share:.3g}</text>",
            f'<text x="{WIDTH - RIGHT + 8}" y="{y + 4}" fill="{ACCURACY}">{share:.0%}</text>',
        ]
    parts += [
        _line([loss / most for loss in losses], LOSS),
        _line(accuracies, ACCURACY),
        f'<text x="{LEFT}" y="14" fill="{LOSS}">loss</text>',
        f'<text x="{WIDTH - RIGHT}" y="14" text-anchor="end" fill="{ACCURACY}">accuracy</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 12}" fill="{INK}">epoch 1</text>',
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 12}" text-anchor="end" fill="{INK}">'
        f"{len(history)}</text>",
        "</svg>\n",
    ]
    return "\n".join(parts)


def _y(share: float) -> float:
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def _line(shares: list[float], colour: str) -> str:
    room = WIDTH - LEFT - RIGHT
    step = room / max(1, len(shares) - 1)
    points = [(round(LEFT + number * step, 1), _y(share)) for number, share in enumerate(shares)]
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="2.5" fill="{colour}"/>' for x, y in points)
    path = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>{dots}'
