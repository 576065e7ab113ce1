"""``torchstone system`` lists what changed on the disk, and what to do, in both languages."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.reports import stored_report
from tests.store.test_damage import flip
from torchstone.core import paths
from torchstone.store import open_store

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ["is damaged", "the program", "Submit the program"]),
        ("zh", ["已损坏", "程序", "重新提交"]),
    ],
)
def test_damaged_rows_are_listed(
    run: Run, alone: Path, monkeypatch: pytest.MonkeyPatch, lang: str, words: list[str]
) -> None:
    monkeypatch.setenv("TORCHSTONE_LANG", lang)
    with open_store() as store:
        added = store.add_submission("01", "pass\n", client_key="k")
        assert store.claim(added, "host")
        assert store.record_verdict(added, stored_report(), {"id": "c41e08d752ba"})
    assert added not in run("system").out
    flip(paths.data_dir() / "torchstone.db", added, "source")
    done = run("system")
    text = " ".join(done.out.split())
    for word in [added, *words]:
        assert word in text
    assert done.code == 3
    listed = run("system", "--json").json["damaged"]
    assert listed == {
        "submissions": [{"id": added, "problem_id": "01", "parts": ["source"]}],
        "facts": [],
        "files": [],
    }
    refused = run("history", "01", added, "--json")
    assert refused.json["code"] == "store.row_damaged"
    assert added in refused.json["message"]
