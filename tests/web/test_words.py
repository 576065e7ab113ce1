"""The words of the page: the build ends when one language lacks a sentence."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.web.node import WITH_NODE

FRONTEND = Path(__file__).parents[2] / "frontend"

pytestmark = [pytest.mark.web, pytest.mark.full]


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["npm", "run", "--silent", "check"],
        cwd=folder,
        env=WITH_NODE,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("sentence", ["  skip: ", "  local: "])
def test_a_sentence_that_chinese_lacks_ends_the_build(tmp_path: Path, sentence: str) -> None:
    folder = tmp_path / "frontend"
    shutil.copytree(FRONTEND, folder, ignore=shutil.ignore_patterns("node_modules"))
    (folder / "node_modules").symlink_to(FRONTEND / "node_modules")
    words = folder / "src/messages/zh/shell.ts"
    kept = [line for line in words.read_text().splitlines() if not line.startswith(sentence)]
    assert len(kept) < len(words.read_text().splitlines())
    words.write_text("\n".join(kept))
    done = check(folder)
    assert done.returncode != 0
    assert sentence.strip(" :") in done.stdout


def test_the_words_and_types_of_the_page_are_whole() -> None:
    done = check(FRONTEND)
    assert done.returncode == 0, done.stdout[-2000:]
