"""Loss curves of a training run as SVG."""

from __future__ import annotations

from pathlib import Path

from torchstone.models.refusal import Refusal, reason_of

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 52, 20, 34, 36
# Colours that are legible on light and dark backgrounds.
INK, BLUE, ORANGE, RULE = "#6e7781", "#2f81f7", "#db6d28", "#6e778155"
NUM_RULES = 4
# Series of a plot: label and colour.
NAMES = {"loss": ("loss", BLUE), "held_loss": ("loss held back", ORANGE)}


def draw_curve(history: list[dict[str, float]], path: Path) -> None:
    """Write the loss curves as an SVG file; there must be at least one entry.

    Args:
        history: Entries with ``step`` and ``loss``, and optionally ``held_loss``.
        path: The file, which is replaced.

    Raises:
        Refusal: The file cannot be written.
    """
    # Write a temporary file first, so that a reader never sees a partial picture.
    beside = path.with_name(f"{path.name}.part")
    try:
        beside.write_text(curve(history), encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise Refusal("unwritable", path=path, reason=reason_of(error)) from error


def curve(history: list[dict[str, float]]) -> str:
    """Return the SVG text."""
    last = history[-1]
    names = [name for name in NAMES if name in last]
    most = max(each[name] for each in history for name in names) or 1.0
    title = ", ".join(f"{NAMES[name][0]} {last[name]:.4f}" for name in names)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}" role="img">',
        f"<title>{title}</title>",
    ]
    for number in range(NUM_RULES + 1):
        share = number / NUM_RULES
        y = _y(share)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="{RULE}"/>')
        parts.append(
            f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{most * share:.3g}</text>'
        )
    for place, name in enumerate(names):
        told, colour = NAMES[name]
        x = LEFT + 90 * place
        points = [(_x(each["step"] / last["step"]), _y(each[name] / most)) for each in history]
        line = " ".join(f"{x},{y}" for x, y in points)
        parts += [
            f'<text x="{x}" y="18" fill="{colour}">{told}</text>',
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8"/>',
            *(f'<circle cx="{x}" cy="{y}" r="2.5" fill="{colour}"/>' for x, y in points),
        ]
    parts += [
        f'<text x="{LEFT}" y="{HEIGHT - 12}">0</text>',
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 12}" text-anchor="end">{last["step"]:.0f}</text>',
        "</svg>\n",
    ]
    return "\n".join(parts)


def _x(share: float) -> float:
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def _y(share: float) -> float:
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)
