"""The page of what cudasim supports is what its programs and its table of refusals say."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tools import cuda_doc
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


def test_every_description_is_in_both_languages() -> None:
    han = re.compile("[\u4e00-\u9fff]")
    for each in read_features():
        english, chinese = each.lines
        assert not han.search(english), each.name
        # A list of names alone is the same in both.
        assert han.search(chinese) or re.fullmatch(r"[\w、]+", chinese), each.name


@pytest.mark.parametrize("change", [lambda text: text + 'gone = "无"\n', lambda text: "x = 'y'"])
def test_a_description_without_its_program_is_refused(
    change: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in FEATURES.glob("*.cu"):
        (tmp_path / path.name).symlink_to(path)
    text = (FEATURES / "zh.toml").read_text(encoding="utf-8")
    (tmp_path / "zh.toml").write_text(change(text), encoding="utf-8")
    monkeypatch.setattr(cuda_doc, "FEATURES", tmp_path)
    with pytest.raises(ValueError, match=r"zh\.toml has other names than the programs"):
        read_features()


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
