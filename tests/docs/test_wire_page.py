"""The page on the wire format lists every kind of frame with the entries that its type has."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from torchstone.judge.build import records
from torchstone.judge.child.protocol import orders, payloads
from torchstone.judge.child.protocol.frames import FromJob, ToCompiler, ToJob, ToReference

pytestmark = pytest.mark.pure

ROOT = Path(__file__).resolve().parents[2]
JUDGE = ROOT / "src/torchstone/judge"
PAGES = {lang: ROOT / "docs/handbook" / lang / "wire.md" for lang in ("en", "zh")}
COMPILER = {
    ToCompiler.PREPARE: records.PrepareOrder,
    ToCompiler.BUILD_CUDA: records.CudaOrder,
    ToCompiler.BUILD_EXTENSION: records.TorchOrder,
    ToCompiler.BUILD_WHEEL: records.TorchOrder,
    ToCompiler.EXPLAIN: records.ExplainOrder,
    ToCompiler.ASK_NVCC: records.NvccOrder,
}


@pytest.fixture(params=sorted(PAGES))
def page(request: pytest.FixtureRequest) -> str:
    return PAGES[request.param].read_text(encoding="utf-8")


def rows(page: str) -> list[list[str]]:
    """Return the cells of every row of every table."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def entries(cell: str) -> list[str]:
    """Return the names in backticks before the colon, where the meaning begins."""
    return re.findall(r"`([a-z_]+)`", re.split("[:：]", cell)[0])


def test_every_kind_has_a_row_with_its_entries(page: str) -> None:
    found = [(row[0], sorted(entries(row[2]))) for row in rows(page) if len(row) == 4]
    expected = {
        **{kind: [each.name for each in fields(orders._TYPES[kind])] for kind in ToReference},
        **{kind: list(kind_of.__annotations__) for kind, kind_of in COMPILER.items()},
    }
    # Another frame follows these, or they are described in words.
    in_words = {ToReference.GRADE}
    for kind, names in expected.items():
        if kind not in in_words:
            assert (f"`{kind.value.decode()}`", sorted(names)) in found, kind
    assert len({*COMPILER}) == len(ToCompiler)
    letters = {row[0] for row in rows(page)}
    assert {f"`{kind.value.decode()}`" for kind in (*ToJob, *FromJob, *ToReference)} <= letters


def test_every_payload_has_a_row(page: str) -> None:
    found = [entries(row[1]) for row in rows(page) if len(row) == 2]
    for payload in get_args(payloads.Payload):
        assert [each.name for each in fields(payload)] in found, payload


def test_every_module_of_types_has_a_row(page: str) -> None:
    listed = {name for row in rows(page) for name in re.findall(r"`([\w/]+\.py)`", row[0])}
    assert all((JUDGE / name).is_file() for name in listed)
    pattern = re.compile(r"^(records|replies|orders|payloads|refusals|frames|\w*_messages)\.py$")
    there = {
        path.relative_to(JUDGE).as_posix()
        for path in JUDGE.rglob("*.py")
        if pattern.match(path.name)
    }
    assert there <= listed
