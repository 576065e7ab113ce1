"""Time accounting as a bar: the shares of the window, with the largest cause labelled."""

from __future__ import annotations

from collections.abc import Mapping

from torchstone.core.i18n import Lang, text
from torchstone.doctor.charts.drawing import Drawing, fitting, width_of
from torchstone.doctor.charts.numbers import said_share

_HEIGHT, _LINE = 32, 22
_LEAST = 0.0005


def bar_of(shares: Mapping[str, float], width: float, lang: Lang) -> Drawing:
    """Draw the time accounting of a window, with a legend.

    Args:
        shares: Shares by name, as in ``Accounting.shares``.
        width: Width in pixels.
        lang: Language of labels.
    """
    drawing = Drawing(width)
    x, legend_x, legend_y = 0.0, 0.0, _HEIGHT + _LINE
    for name, share in shares.items():
        if share < _LEAST:
            continue
        kind = name.removeprefix("idle.")
        words = f"{text(f'doctor.chart.class.{kind}', lang)} {said_share(share)}"
        drawing.rect(x, 0, share * width - 1, _HEIGHT, f"c-{kind}", title=words)
        drawing.words(x + 6, 20, fitting(words, share * width - 12), "ink")
        x += share * width
        if legend_x + width_of(words) + 40 > width:
            legend_x, legend_y = 0.0, legend_y + _LINE
        drawing.rect(legend_x, legend_y - 10, 12, 12, f"c-{kind}")
        drawing.words(legend_x + 18, legend_y, words)
        legend_x += width_of(words) + 42
    drawing.height = legend_y + 8
    return drawing
