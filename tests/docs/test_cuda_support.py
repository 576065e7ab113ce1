"""The page of what cudasim supports is what its programs and its table of refusals say."""

import re

import pytest

from tools.cuda_doc import FEATURES, names_of, page_path, read_features, write_page
from torchstone.core.i18n import LANGS, Lang
from torchstone.cudasim.refusals import HEADERS, IDENTIFIERS, Refusal

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("lang", LANGS)
def test_the_page_is_what_the_programs_say(lang: Lang) -> None:
    written = page_path(lang).read_text(encoding="utf-8")
    assert written == write_page(lang), "run `python tools/cuda_doc.py`"


def test_every_program_among_the_features_stands_on_the_page() -> None:
    named = {f"{each.name}{end}" for each in read_features() for end in (".cu", ".bad.cu")}
    assert named == {path.name for path in FEATURES.glob("*.cu")}


@pytest.mark.parametrize("row", IDENTIFIERS + HEADERS, ids=lambda row: row.pattern[:20])
def test_the_names_on_the_page_are_names_that_are_refused(row: Refusal) -> None:
    for name in names_of(row.pattern):
        # A star stands for letters, or for none where they may be left out.
        spelt = {name.replace("*", ending) for ending in ("", "x", "Xx", "8")}
        assert any(re.fullmatch(row.pattern, each) for each in spelt), name


def test_a_pattern_is_spelt_as_the_names_that_it_stands_for() -> None:
    assert names_of(r"a(?:b|c(?:d|e))f|g\.h") == ("abf", "acdf", "acef", "g.h")
    assert names_of(r"f(?:g)?|h\w+|i[864]j") == ("f*", "h*", "i*j")


def test_a_header_that_comes_along_does_not_stand_among_those_that_are_refused() -> None:
    page = write_page("en")
    assert "`cuda/*` (but not `cuda/barrier`, `cuda/pipeline`)" in page
    assert "`cudaTypedefs.h`" in page
    assert "`cuda.h`" not in page
