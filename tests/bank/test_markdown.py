import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.bank.markdown import outline, python_cells

pytestmark = pytest.mark.pure

TEXT = """# One
text with `# no heading`
## Two ##
```python
# no heading either
assert True
```
```text
python
```
~~~~python title="x"
```
inner
```
~~~~
####### seven is no heading
#no space, no heading
![a picture](figure_a.svg) and ![](figure_b.svg "t")
```like this```
    ```python
"""


def test_headings_are_found_outside_of_cells_only() -> None:
    headings = [(heading.level, heading.title) for heading in outline(TEXT).headings]
    assert headings == [(1, "One"), (2, "Two")]


def test_cells_keep_their_text_byte_for_byte() -> None:
    cells = outline(TEXT).cells
    assert [(cell.info, cell.source, cell.line) for cell in cells] == [
        ("python", "# no heading either\nassert True\n", 4),
        ("text", "python\n", 8),
        ('python title="x"', "```\ninner\n```\n", 11),
    ]
    assert all(cell.is_closed for cell in cells)


def test_python_cells_are_the_ones_that_run() -> None:
    assert [cell.line for cell in python_cells(TEXT)] == [4, 11]


def test_pictures_are_listed() -> None:
    assert outline(TEXT).pictures == ("figure_a.svg", "figure_b.svg")


def test_a_cell_that_is_never_closed_runs_to_the_end_and_says_so() -> None:
    (cell,) = outline("```python\nx = 1\n``\n# y").cells
    assert (cell.source, cell.is_closed) == ("x = 1\n``\n# y\n", False)


def test_an_empty_cell_and_an_empty_text_are_nothing_special() -> None:
    assert outline("```python\n```\n").cells[0].source == ""
    assert outline("").cells == ()


@given(st.lists(st.text(alphabet="a `~#\\\n", max_size=12), max_size=12))
def test_any_text_can_be_taken_apart(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = outline(text)
    num_fences = sum(1 + cell.is_closed for cell in found.cells)
    num_code_lines = sum(cell.source.count("\n") for cell in found.cells)
    num_prose_lines = len(found.prose.split("\n")) if found.prose else 0
    assert num_fences + num_code_lines + num_prose_lines <= max(1, len(text.splitlines()))
    assert sum(not cell.is_closed for cell in found.cells) <= 1


@given(st.text(alphabet="ab #\n", max_size=60))
def test_a_fence_longer_than_any_inside_returns_what_was_put_in(body: str) -> None:
    source = "".join(line + "\n" for line in body.splitlines())
    (cell,) = python_cells(f"`````python\n{source}`````\n")
    assert cell.source == source
