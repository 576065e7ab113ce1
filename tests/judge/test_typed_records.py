"""What crosses a module of the judge has a type; a mapping of anything has a name.

``dict[str, Any]`` says nothing. Where every problem has entries of its own, an alias of
``child.protocol.records`` names the mapping.
"""

import re
from pathlib import Path

import pytest

import torchstone.judge

pytestmark = pytest.mark.pure

JUDGE = Path(torchstone.judge.__file__).parent
FOLDERS = ("build", "child", "kit", "native", "pool", "proof", "reference", "sandbox")
# The aliases themselves, and the fields of a dataclass in a Protocol.
NAMED = {"child/protocol/records.py": 5}


def test_no_bare_dictionary_crosses_a_module() -> None:
    found = {
        path.relative_to(JUDGE).as_posix(): len(re.findall(r"dict\[str, Any\]", text))
        for folder in FOLDERS
        for path in sorted((JUDGE / folder).rglob("*.py"))
        if "dict[str, Any]" in (text := path.read_text(encoding="utf-8"))
    }
    assert found == NAMED
