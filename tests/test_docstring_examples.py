"""The examples of docstrings are true, in every package."""

import doctest
import importlib
from pathlib import Path

import pytest

import torchstone

PACKAGE = Path(torchstone.__file__).parent
WITH_TORCH = {"distributed", "doctor", "kernels", "microtorch", "models", "nested", "xray"}
PARTS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def modules_with_examples(part: str) -> list[str]:
    """Return the modules of a package with an example; problems are checked by the bank."""
    found = [
        path.relative_to(PACKAGE.parent).with_suffix("")
        for path in sorted((PACKAGE / part).rglob("*.py"))
        if path.name != "__main__.py" and "    >>> " in path.read_text(encoding="utf-8")
    ]
    return [".".join(path.parts).removesuffix(".__init__") for path in found]


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(part, marks=() if part in WITH_TORCH else pytest.mark.pure)
        for part in PARTS
        if part != "content"
    ],
)
def test_the_examples_of_docstrings_are_true(part: str) -> None:
    names = modules_with_examples(part)
    results = [doctest.testmod(importlib.import_module(name)) for name in names]
    assert sum(result.failed for result in results) == 0
    if part == "core":
        assert sum(result.attempted for result in results) >= 5
