"""What a browser has to fetch for each page, measured as the server sends it."""

import re
from collections.abc import Iterator
from itertools import product

import pytest

from torchstone.core.i18n import LANGS, Lang
from torchstone.web.shell import LOST, ROUTES, Bundle

pytestmark = pytest.mark.web

KB = 1_000
# The script of a page with its words, before the reader does anything.
# The x-ray has its five figures from the start.
# A chapter shares the lines of the library with the page of a problem, in a chunk of their own.
SCRIPT = {"Problem": 220 * KB, "Xray": 90 * KB, "Learn": 31.5 * KB}
# A route, its place in the bar and its words are some 80 to 120 bytes of each page. Eight came
# after the budget was set.
SCRIPT_OF_OTHERS = 31.1 * KB
STYLE = 20 * KB
# With the figures, the packages, the receipts, the doctor, the x-ray, the chapters, the interviews
# and the answers of questions, which few visits load.
ALL_STYLES = 35 * KB
# A part that is loaded when it is needed: the editor is the largest.
LAZY = 130 * KB
# What an opened trace brings, with its charts and their words.
DIAGNOSIS = 60 * KB
PAGES = [*ROUTES.values(), LOST]
# What a page loads by itself once it knows what to show: one of these.
LATER: dict[str, tuple[tuple[str, ...], ...]] = {
    "Home": (
        ("src/parts/home/Standing.svelte",),
        ("src/parts/home/FirstVisit.svelte", "src/messages/{lang}/seldom.ts"),
    ),
    "Learn": (
        ("src/parts/learn/List.svelte",),
        ("src/parts/learn/Chapter.svelte",),
    ),
    "Questions": (
        ("src/parts/questions/List.svelte",),
        ("src/parts/questions/open.ts", "src/messages/{lang}/question.ts"),
    ),
    "Interview": (("src/parts/interview/Start.svelte",),),
}


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    found = Bundle()
    assert found.is_built, "The page is not compiled: run tools/page.sh."
    return found


def imported(bundle: Bundle, names: set[str]) -> set[str]:
    """Add to some files all that they import when they start, and the styles of these."""
    entries = {entry["file"]: entry for entry in bundle.manifest.values()}
    waiting, reached = [*names], set[str]()
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        entry = entries.get(name, {})
        waiting += entry.get("css", [])
        waiting += [bundle.manifest[each]["file"] for each in entry.get("imports", [])]
    return reached


def loaded(bundle: Bundle, page: str, lang: Lang) -> set[str]:
    """List what the document of a page names, and what that imports."""
    named = set(re.findall(r'(?:src|href)="/(assets/[^"]+)"', bundle.template))
    return imported(bundle, named | set(bundle.preloads(page, lang)))


def weight(bundle: Bundle, names: set[str], ending: str) -> int:
    """Sum the bytes that are sent for the files of a kind."""
    sent = [bundle.asset(name) for name in names if name.endswith(ending)]
    assert sent, ending
    assert all(sent), "The manifest names what is not there: run tools/page.sh."
    return sum(len(asset.compressed) for asset in sent if asset)


def origins(document: str) -> Iterator[str]:
    """Find every address in a document that names a machine."""
    for address in re.findall(r'(?:src|href|content|action)="([^"]*)"', document):
        if re.match(r"([a-z]+:)?//", address):
            yield address


@pytest.mark.parametrize(("page", "lang"), [*product(PAGES, LANGS)])
def test_the_script_of_a_page_keeps_to_its_budget(bundle: Bundle, page: str, lang: Lang) -> None:
    for later in LATER.get(page, ((),)):
        parts = {bundle.manifest[source.format(lang=lang)]["file"] for source in later}
        names = imported(bundle, loaded(bundle, page, lang) | parts)
        assert weight(bundle, names, ".js") <= SCRIPT.get(page, SCRIPT_OF_OTHERS), sorted(names)


@pytest.mark.parametrize("lang", LANGS)
def test_the_paths_of_the_home_page_are_light(bundle: Bundle, lang: Lang) -> None:
    # They come after the first frame, by themselves.
    parts = ("src/parts/home/Paths.svelte", f"src/messages/{lang}/paths.ts")
    late = imported(bundle, {bundle.manifest[source]["file"] for source in parts})
    before = loaded(bundle, "Home", lang) | {
        bundle.manifest["src/parts/home/Standing.svelte"]["file"]
    }
    assert weight(bundle, late - imported(bundle, before), ".js") <= KB


@pytest.mark.parametrize("lang", LANGS)
def test_a_diagnosis_and_its_charts_are_light(bundle: Bundle, lang: Lang) -> None:
    parts = ("src/parts/doctor/opened.ts", f"src/messages/{lang}/diagnosis.ts")
    later = imported(bundle, {bundle.manifest[source]["file"] for source in parts})
    frame = loaded(bundle, LOST, lang)
    whole = loaded(bundle, "Doctor", lang) | later
    assert weight(bundle, whole - frame, ".js") <= DIAGNOSIS


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("part", ["held", "led", "seated"])
def test_an_interview_with_its_editor_is_light(bundle: Bundle, part: str, lang: Lang) -> None:
    sources = (
        f"src/parts/interview/{part}.ts",
        "src/lib/editor/setup.ts",
        *(f"src/messages/{lang}/{words}.ts" for words in ("interviewing", "editor", "bench")),
    )
    later = imported(bundle, {bundle.manifest[source]["file"] for source in sources})
    assert weight(bundle, loaded(bundle, "Interview", lang) | later, ".js") <= 220 * KB


@pytest.mark.parametrize("lang", LANGS)
def test_the_report_of_an_interview_is_light(bundle: Bundle, lang: Lang) -> None:
    sources = (
        "src/parts/interview/reported.ts",
        f"src/messages/{lang}/interview_report.ts",
    )
    later = imported(bundle, {bundle.manifest[source]["file"] for source in sources})
    assert weight(bundle, loaded(bundle, "Interview", lang) | later, ".js") <= 60 * KB


@pytest.mark.parametrize("page", PAGES)
def test_the_style_of_a_page_keeps_to_its_budget(bundle: Bundle, page: str) -> None:
    assert weight(bundle, loaded(bundle, page, "en"), ".css") <= STYLE


def test_all_styles_together_keep_to_the_budget(bundle: Bundle) -> None:
    assert weight(bundle, set(bundle.files), ".css") <= ALL_STYLES


def test_no_part_that_is_loaded_later_is_heavy(bundle: Bundle) -> None:
    sizes = {name: weight(bundle, {name}, ".js") for name in bundle.files if name.endswith(".js")}
    assert sizes
    assert {name: size for name, size in sizes.items() if size > LAZY} == {}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_brings_the_words_of_one_language(bundle: Bundle, page: str) -> None:
    words: dict[Lang, set[str]] = {
        lang: {
            entry["file"]
            for source, entry in bundle.manifest.items()
            if source.startswith(f"src/messages/{lang}/")
        }
        for lang in LANGS
    }
    assert not words["en"] & words["zh"]
    assert loaded(bundle, page, "zh") & words["zh"]
    assert not loaded(bundle, page, "zh") & words["en"]
    assert not loaded(bundle, page, "en") & words["zh"]


def test_no_chunk_holds_the_words_of_both_languages(bundle: Bundle) -> None:
    # What every catalogue says of itself, in the words of each language.
    samples = {"en": "Skip to content", "zh": "跳到正文"}
    for name in bundle.files:
        asset = bundle.asset(name)
        assert asset
        held = [lang for lang, words in samples.items() if words in asset.content.decode("utf-8")]
        assert len(held) < 2, name


def test_the_document_names_nothing_of_another_machine(bundle: Bundle) -> None:
    assert list(origins(bundle.template)) == []
    assert list(origins('<link href="//cdn.example/x.css"><script src="https://x.example/">')) == [
        "//cdn.example/x.css",
        "https://x.example/",
    ]
