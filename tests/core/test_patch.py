import difflib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.core.patch import BadPatch, expand, read_program

pytestmark = pytest.mark.pure

BASE = """\
// style: one loop
#include <cmath>

float sum(const float* x, int n) {
    float total = 0.0f;
    for (int i = 0; i < n; ++i) {
        total += x[i];
    }
    return total;
}

float mean(const float* x, int n) {
    return sum(x, n) / n;
}
"""
HEADER = "// over: solution.cu\n// verdict: WA value\n// en: x.\n"
HUNK = "@@ sum\n-    for (int i = 0; i < n; ++i) {\n+    for (int i = 1; i < n; ++i) {\n"


def whole(patch: str, base: str = BASE, *, name: str = "wrong/a.cu") -> str:
    return expand(patch, name, lambda asked: {"solution.cu": base, "good/b.cu": base}[asked])


def test_a_patch_expands_to_its_header_and_the_changed_base() -> None:
    code = BASE.partition("\n")[2].replace("int i = 0", "int i = 1")
    assert whole(HEADER + HUNK) == "// verdict: WA value\n// en: x.\n" + code


def test_hunks_change_insert_and_remove_one_after_the_other() -> None:
    hunks = "@@\n+#include <cstdint>\n #include <cmath>\n@@\n-        total += x[i];\n"
    hunks += "@@\n     return sum(x, n) / n;\n+    // twice\n"
    text = whole(HEADER + hunks)
    assert "#include <cstdint>\n#include <cmath>" in text
    assert "total += x[i]" not in text
    assert "/ n;\n    // twice\n}\n" in text


def test_a_program_without_over_is_itself() -> None:
    assert whole("// verdict: WA value\nint x;\n") == "// verdict: WA value\nint x;\n"
    # Below the header the word is the program's own.
    assert whole("int x;\n// over: solution.cu\n").startswith("int x;")


def test_an_empty_line_needs_no_space_before_it() -> None:
    kept = whole(f"{HEADER}@@\n #include <cmath>\n\n-float sum(const float* x, int n) {{\n")
    assert "#include <cmath>\n\n    float total" in kept


LINES = st.lists(st.sampled_from(["a", "b", " c", "", "-d", "+e", "@@", "#f"]), max_size=12)


@given(LINES, LINES)
def test_what_diff_prints_is_a_patch(base: list[str], other: list[str]) -> None:
    base, other = ["begin", *base, "end"], ["begin", *other, "end"]
    if base == other:
        return
    _, _, *diff = difflib.unified_diff(base, other, n=len(base), lineterm="")
    patch = "\n".join(["# over: solution.py", "# verdict: RTE", *diff, ""])
    text = expand(patch, "cheats/a.py", lambda asked: "\n".join([*base, ""]))
    assert text == "\n".join(["# verdict: RTE", *other, ""])


@pytest.mark.parametrize(
    ("patch", "says"),
    [
        (HEADER, "there is none"),
        (HEADER + "int x;\n" + HUNK, "line 4: `@@` must begin"),
        (HEADER + HUNK + "return;\n", "line 7: a space, `-` or `+`"),
        (HEADER + "@@\n+int x;\n", "line 4: hunk 1 must name a line of solution.cu"),
        (HEADER + "@@\n-int x;\n", "it has no line 'int x;'"),
        (
            HEADER + "@@\n     float total = 0.0f;\n-    while (n) {\n",
            "no line '    while (n) {' after 'float total = 0.0f;'",
        ),
        (HEADER + "@@\n }\n+\n", "line 4: hunk 1 fits solution.cu in 2 places"),
        (HEADER + "@@\n     return total;\n", "changes nothing"),
        (HEADER + "@@\n-    return total;\n" + HUNK, "line 6: hunk 2 must follow"),
        (HEADER + HUNK + HUNK, "line 7: hunk 2 must follow"),
        (HEADER.replace("solution.cu", "wrong/b.cu") + HUNK, "got wrong/b.cu"),
        (HEADER.replace("solution.cu", "../solution.cu") + HUNK, "got ../solution.cu"),
        (HEADER.replace("solution.cu", "solution.py") + HUNK, "got solution.py"),
        ("// over: good/b.cu\n" + HEADER + HUNK, "named once; got good/b.cu, solution.cu"),
    ],
)
def test_a_patch_that_does_not_fit_says_where(patch: str, says: str) -> None:
    with pytest.raises(BadPatch) as caught:
        whole(patch)
    assert says in str(caught.value)


def test_a_changed_base_is_noticed() -> None:
    with pytest.raises(BadPatch, match="does not fit"):
        whole(HEADER + HUNK, BASE.replace("++i", "i++"))


def test_a_base_is_a_whole_program() -> None:
    with pytest.raises(BadPatch, match="whole program"):
        whole(HEADER + HUNK, HEADER.replace("solution", "good/b") + HUNK)
    with pytest.raises(BadPatch, match="a good answer"):
        whole(HEADER + HUNK, name="solution.cu")


def test_a_program_is_read_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "wrong").mkdir()
    (tmp_path / "solution.cu").write_text(BASE)
    (tmp_path / "wrong/a.cu").write_text(HEADER + HUNK)
    assert read_program(tmp_path, "solution.cu") == BASE
    assert "int i = 1" in read_program(tmp_path, "wrong/a.cu")
