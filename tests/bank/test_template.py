import ast
import string

import pytest

from torchstone.bank import template

pytestmark = pytest.mark.pure

WANTED = {
    "problem": {
        "number", "slug", "title_en", "title_zh", "least_right", "least_wrong", "least_cheats",
    },
    "repository": {
        "count", "rows", "torch", "version", "number", "slug", "title", "folder", "groups", "names",
        "led", "built",
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", ["problem", "repository"])
def test_every_template_asks_only_for_what_it_is_given(kind: str) -> None:
    names = list(template.names(kind))
    assert names
    for name in names:
        filled = template.fill(kind, name, **dict.fromkeys(WANTED[kind], "x"))
        assert "{x}" not in filled
        raw = (template._TEMPLATES / kind / f"{name}.txt").read_text(encoding="utf-8")
        asked = {field for _, field, _, _ in string.Formatter().parse(raw) if field}
        assert asked <= WANTED[kind], name
        if name.endswith(".py"):
            ast.parse(filled)
