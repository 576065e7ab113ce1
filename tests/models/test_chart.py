"""The picture of a profile is well formed, has a row for each module, and bars of its times."""

import xml.etree.ElementTree as ET

import pytest

from torchstone.models.chart import (
    BAR_LEFT,
    BAR_RIGHT,
    BLUE,
    ORANGE,
    Words,
    draw,
    page,
    read_words,
)
from torchstone.models.limits import Limits
from torchstone.models.profile import Cost, Profile

pytestmark = pytest.mark.torch

LIMITS = Limits(flops_per_second=1e9, bytes_per_second=1e9)
FOUND = Profile(
    {
        "": Cost("", "Model", 1, 10**9, 10**6, 3_000_000, 4_000_000, 4.0),
        "a<b": Cost("a<b", "Layer", 1, 10**9, 10**6, 2_000_000, 3_000_000, 2.0, "a<b", 1),
        "a<b.c.d.e": Cost("a<b.c.d.e", "Deep", 1, 0, 0, 0, 0, 1.0, "e", 4),
        "quick": Cost("quick", "Cached", 1, 0, 10**9, 0, 0, 0.5, "quick", 1),
    }
)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_module_has_its_row(lang: str) -> None:
    root = ET.fromstring(draw(FOUND, LIMITS, lang=lang))
    told = [each.text or "" for each in root.iter(f"{SVG}text")]
    assert any("a<b (Layer)" in each for each in told)
    assert not any("Deep" in each for each in told)
    assert {"4000.00", "1.000", "3.0", "25%", "200%"} <= set(told)


def test_the_words_are_those_of_the_language() -> None:
    heads = ["ms", "GFLOP", "MB moved", "MB kept", "MB peak", "roofline"]
    assert read_words("en") == Words(
        title="Cost of each module in forward",
        columns=tuple(heads),
        legend=("time at the limits of the machine", "the rest of its time"),
        model="model",
    )
    root = ET.fromstring(draw(FOUND, LIMITS, lang="zh"))
    told = [each.text for each in root.iter(f"{SVG}text")]
    assert {"毫秒", "搬运 MB", "保留 MB", "峰值 MB", "屋顶线", "模型 (Model)"} <= set(told)
    assert {"前向中每个模块的开销", "按机器极限所需的时间", "其余的时间"} <= set(told)


def test_a_bar_is_as_long_as_its_time_and_blue_as_far_as_it_must_be() -> None:
    root = ET.fromstring(draw(FOUND, LIMITS))
    room = BAR_RIGHT - BAR_LEFT
    bars = [each for each in root.iter(f"{SVG}rect") if each.get("x") == str(BAR_LEFT)]
    widths = {
        colour: [float(each.get("width", 0)) for each in bars if each.get("fill") == colour]
        for colour in (ORANGE, BLUE)
    }
    assert widths[ORANGE] == pytest.approx([room, room / 2, room / 8], abs=0.1)
    assert widths[BLUE] == pytest.approx([room / 4, room / 4, room / 8], abs=0.1)


def test_nothing_leaves_the_picture() -> None:
    root = ET.fromstring(draw(FOUND, LIMITS))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for each in root:
        assert 0 <= float(each.get("x", 0)) <= width
        assert 0 <= float(each.get("y", 0)) <= height


def test_a_page_holds_the_picture_and_nothing_from_elsewhere() -> None:
    told = page(draw(FOUND, LIMITS), lang="zh")
    assert 'lang="zh"' in told
    assert "<svg" in told
    assert "src=" not in told
    assert told.count("http") == 1
