"""A small problem folder that is whole, for tests to break in one place each."""

from pathlib import Path

import pytest

WHOLE = {
    "problem.toml": """
id = "01"
slug = "double"
version = 1
part = 1
stars = 1
minutes = { practice = 20, interview = 12 }
concepts = ["2.2.1.2.1"]
prerequisites = ["03"]
[title]
en = "Doubling"
zh = "加倍"
[entry]
kind = "function"
names = ["double"]
signature = "double(x)"
[limits]
wall_s = 5
memory_mib = 512
[deny]
families = ["softmax"]
forward_only = ["softmax"]
functions = ["torch.autograd.gradcheck"]
modules = ["numpy"]
""",
    "statement.en.md": "# Doubling\n\nWrite `double`.\n",
    "statement.zh.md": "# 加倍\n\n写出 `double`。\n",
    "editorial.en.md": "# Why\n\n```python\nassert 1 + 1 == 2\n```\n",
    "editorial.zh.md": "# 原因\n\n```python\nassert 1 + 1 == 2\n```\n",
    "starter.py": "def double(x):\n    ...\n",
    # Loading must not run content: each of these would end the test at once.
    "cases.py": "raise SystemExit('content was run')\n",
    "oracle.py": "raise SystemExit('content was run')\n",
    "solution.py": "raise SystemExit('content was run')\n",
    "good/by_sum.py": "# Adds x to itself.\ndef double(x):\n    return x + x\n",
    "wrong/triple.py": (
        "# wrong/triple.py\n# verdict: WA value | RTE\n# group: small\n"
        "# en: three is not two.\n# zh: 三不是二。\ndef double(x):\n    return 3 * x\n"
    ),
    "cheats/exit.py": (
        "# verdict: RTE\n# en: leaves before it is asked.\n# zh: 还没被问就走了。\n"
        "raise SystemExit\n"
    ),
    "hints.toml": "".join(
        f'[[hint]]\nrung = "{rung}"\nen = "Think of {rung}."\nzh = "想一想。"\n'
        for rung in ("nudge", "concept", "shape", "near")
    ),
    "rubric.toml": "minutes = 12\n"
    + '[[followup]]\nquestion = { en = "Why?", zh = "为什么？" }\n'
    + 'answer = { en = "So.", zh = "因此。" }\n'
    + "".join(
        f'[[level]]\nscore = {score}\nanchor = {{ en = "Some.", zh = "一些。" }}\n'
        for score in range(4)
    ),
}


def write_problem(root: Path, name: str = "01_double") -> Path:
    """Write the whole problem below ``root/problems`` under a folder name of the form NN_slug."""
    folder = root / "problems" / name
    number, slug = name.split("_", maxsplit=1)
    for file, content in WHOLE.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        renamed = content.replace('id = "01"', f'id = "{number}"')
        path.write_text(renamed.replace('slug = "double"', f'slug = "{slug}"'), encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_problem(tmp_path)
