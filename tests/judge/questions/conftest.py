import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from torchstone.bank.loader import CONTENT
from torchstone.bank.questions import Topic, load_topic
from torchstone.bank.questions.checks import TextCheck
from torchstone.judge.questions.prover import TopicProof, prove

VIEWS = "2.1.2.1_views"


@pytest.fixture
def planted(tmp_path: Path) -> Callable[..., Topic]:
    """Return what makes a copy of a topic with texts replaced: file, text before, text after."""

    def plant(*faults: tuple[str, str, str], name: str = VIEWS) -> Topic:
        folder = tmp_path / str(len(list(tmp_path.iterdir()))) / name
        shutil.copytree(CONTENT / "questions" / name, folder)
        for file, before, after in faults:
            text = (folder / file).read_text(encoding="utf-8")
            assert before in text
            (folder / file).write_text(text.replace(before, after, 1), encoding="utf-8")
        return load_topic(folder)

    return plant


@pytest.fixture
def prove_all() -> Callable[[Sequence[Topic]], dict[Path, TopicProof]]:
    """Return what proves topics in one process; the proofs come by folder."""

    def run(topics: Sequence[Topic], *, changes: bool = True) -> dict[Path, TopicProof]:
        found = prove(topics, TextCheck().findings, changes=changes)
        return {proof.topic.path: proof for proof in found}

    return run
