import re
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shipped import shipped_bank
from tests.web import hostile
from tests.web.scan import elements_of, find_faults, text_of
from torchstone.core.i18n import LANGS
from torchstone.web import figures
from torchstone.web.figures import FigureError, clean_figure, read_figures
from torchstone.web.prose import render

pytestmark = pytest.mark.pure

SHIPPED = [
    pytest.param(name, source, id=f"{problem.path.name}/{name}")
    for problem in shipped_bank()
    for name, source in read_figures(problem.path).items()
]


def svg(inside: str, attributes: str = "") -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>{inside}</svg>'


def test_the_problems_ship_the_figures_that_their_texts_show() -> None:
    assert len(SHIPPED) >= len(shipped_bank()) / 2
    for problem in shipped_bank():
        shown = {
            name
            for words in (problem.statement, problem.editorial)
            for lang in LANGS
            for name in re.findall(r"\((figure_\w+\.svg)\)", words.said_in(lang))
        }
        assert shown == {path.name for path in problem.path.glob("figure_*.svg")}, problem.id


@pytest.mark.parametrize(("name", "source"), SHIPPED)
def test_the_shipped_figures_lose_nothing(name: str, source: str) -> None:
    figure = clean_figure(source, prefix="s_1_")
    assert figure.dropped == ()
    before, after = fromstring(source), fromstring(figure.svg)
    bare = [element.tag.partition("}")[2] for element in before.iter()]
    assert [element.tag for element in after.iter()] == bare
    for old, new in zip(before.iter(), after.iter(), strict=True):
        assert {key: value.replace("s_1_", "") for key, value in new.items()} == dict(old.items())
        assert (new.text or "").strip() == (old.text or "").strip()


@pytest.mark.parametrize(("name", "source"), SHIPPED)
def test_the_page_shows_the_figure_as_it_was_cleaned(name: str, source: str) -> None:
    html = render(f"![A.]({name})", lang="en", figures={name: source})
    (shown,) = re.findall("<svg.*</svg>", html, re.DOTALL)
    cleaned = clean_figure(source, prefix="s_1_", label="A.").svg
    assert text_of(shown) == text_of(cleaned)
    # The parser of HTML reads names in small letters; browsers want these as they were written.
    assert sorted(re.findall(r"[\w-]+[A-Z]\w*=", shown)) == sorted(
        re.findall(r"[\w-]+[A-Z]\w*=", cleaned)
    )
    ends_itself = elements_of(re.sub(r"<(\w+)([^>]*?) ?/>", r"<\1\2></\1>", cleaned))
    assert elements_of(shown) == ends_itself


@pytest.mark.parametrize("source", hostile.BROKEN_DRAWINGS)
def test_what_is_no_drawing_is_refused(source: str) -> None:
    with pytest.raises(FigureError):
        clean_figure(source, prefix="s_1_")


@pytest.mark.parametrize("source", hostile.MENDED_DRAWINGS)
def test_nothing_that_runs_or_fetches_stays_in_a_drawing(source: str) -> None:
    html = render("![a](figure_a.svg)", lang="en", figures={"figure_a.svg": source})
    assert find_faults(html) == []
    assert "<svg" in html


@pytest.mark.parametrize(
    ("inside", "dropped"),
    [
        ("<script>x</script>", ["script"]),
        ("<g><image/></g>", ["image"]),
        ("<g onclick='x' style='x' class='x'/>", ["g@onclick", "g@style", "g@class"]),
        ("<use href='a#b'/>", ["use@href"]),
        ("<use href='#nobody'/>", ["use@href"]),
        ("<rect fill='url(#nobody)'/>", ["rect@fill"]),
        ("<rect fill='url(http://a.example)'/>", ["rect@fill"]),
        ("<rect transform='rotate(9) evil(1)'/>", ["rect@transform"]),
        ("<g>words</g>", ["g#text"]),
        ("<title>a<g/></title>", ["g"]),
        ("<svg/>", ["svg"]),
        ("<rect id='a b'/>", ["rect@id"]),
        ("<g aria-label='x'/>", ["g@aria-label"]),
        ("<rect width='9'/><!-- x -->", []),
    ],
)
def test_what_is_left_out_is_named(inside: str, dropped: list[str]) -> None:
    assert list(clean_figure(svg(inside), prefix="s_1_").dropped) == dropped


def test_references_stay_in_the_drawing_and_lead_one_step() -> None:
    source = svg(
        "<defs><g id='a'><rect width='9'/></g><g id='b'><use href='#a'/></g></defs>"
        "<use xlink:href='#a'/><use href='#b'/><path d='M0 0' marker-end=' url(#a) '/>",
        "xmlns:xlink='http://www.w3.org/1999/xlink' aria-labelledby='a b'",
    )
    figure = clean_figure(source, prefix="s_2_")
    assert figure.dropped == ("use@href",)
    assert re.findall('="([^"]*s_2_[^"]*)"', figure.svg) == [
        "s_2_a s_2_b",
        "s_2_a",
        "s_2_b",
        "#s_2_a",
        "#s_2_a",
        "url(#s_2_a)",
    ]


def test_a_drawing_that_uses_itself_again_and_again_stays_small() -> None:
    uses = "".join(f"<g id='l{n}'>" + f"<use href='#l{n - 1}'/>" * 9 + "</g>" for n in range(1, 12))
    figure = clean_figure(svg(f"<g id='l0'><rect width='9'/></g>{uses}"), prefix="s_1_")
    assert set(re.findall('href="([^"]*)"', figure.svg)) == {"#s_1_l0"}


@pytest.mark.parametrize(
    ("inside", "attributes", "label"),
    [
        ("", "", 'aria-label="What it shows"'),
        ("<title>Own</title>", "", None),
        ("", "aria-label='Own'", 'aria-label="Own"'),
    ],
)
def test_a_drawing_is_an_image_with_a_name(inside: str, attributes: str, label: str | None) -> None:
    shown = clean_figure(svg(inside, attributes), prefix="s_1_", label="What it shows").svg
    assert 'role="img"' in shown
    assert re.findall('aria-label="[^"]*"', shown) == ([label] if label else [])


def test_words_beside_other_words_stay_in_their_place() -> None:
    source = svg("<text>a<tspan>b</tspan>c<script>x</script>d</text>")
    assert ">a<tspan>b</tspan>cd</text>" in clean_figure(source, prefix="s_1_").svg


@given(
    st.recursive(
        st.sampled_from(hostile.MENDED_DRAWINGS).map(lambda s: s.partition(">")[2][:-6])
        | st.text(),
        lambda children: st.builds(
            lambda tag, name, value, inside: f"<{tag} {name}='{value}'>{''.join(inside)}</{tag}>",
            st.sampled_from([*figures.ATTRIBUTES, "a", "script", "foreignObject"]),
            st.sampled_from(["id", "href", "fill", "d", "transform", "onload", "style", "viewBox"]),
            st.sampled_from(["a", "#a", "url(#a)", "url(x)", "javascript:pwn()", "&quot;&gt;"]),
            st.lists(children, max_size=3),
        ),
        max_leaves=6,
    )
)
def test_whatever_is_drawn_nothing_but_the_list_comes_out(inside: str) -> None:
    try:
        figure = clean_figure(svg(inside), prefix="s_1_", label="a")
    except FigureError:
        return
    html = render("![a](figure_a.svg)", lang="en", figures={"figure_a.svg": svg(inside)})
    assert find_faults(html) == []
    assert fromstring(figure.svg).tag == "svg"
