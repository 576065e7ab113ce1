"""The format of a file is found by what is in it, not by its name."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.doctor.read.exports import profiled, run_of, write
from torchstone.core.i18n import LANGS
from torchstone.doctor.read.run import read_run
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.report import diagnose

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("name", ["a.sqlite", "a.json", "a.nsys-rep", "a"])
def test_an_export_is_one_whatever_its_name(tmp_path: Path, name: str) -> None:
    run = read_run([write(tmp_path / name, run_of())])
    assert (run.source.format, run.source.schema, run.source.ranks) == ("nsys", "2020", 1)
    assert run.ranks[0].file == str(tmp_path / name)


@pytest.mark.parametrize("name", ["a.sqlite", "a.json", "a.nsys-rep"])
def test_a_trace_is_one_whatever_its_name(tmp_path: Path, name: str) -> None:
    run = read_run([profiled(tmp_path / name, "launch")])
    assert (run.source.format, run.source.schema) == ("pytorch", "new")
    assert run.source.device.name == "Card"


@pytest.mark.parametrize("name", ["a.nsys-rep", "a.qdrep", "a.qdstrm"])
@pytest.mark.parametrize(
    "content",
    # Without the time of packing, which would name the tests otherwise in each process.
    [b"\x01\x02NVIDIA", gzip.compress(b"x", mtime=0), b"PK\x03\x04"],
    ids=["bytes", "gzip", "zip"],
)
def test_a_report_is_refused_with_the_command_that_exports_it(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(Refusal) as refused:
        read_run([path])
    assert refused.value.code == "nsys_report"
    for lang in LANGS:
        assert f"nsys export --type sqlite {path}" in refused.value.hint(lang)


def test_an_empty_file_is_empty_and_a_missing_one_missing(tmp_path: Path) -> None:
    (tmp_path / "a.nsys-rep").touch()
    for name, code in (("a.nsys-rep", "empty"), ("b.sqlite", "no_file"), ("", "folder")):
        with pytest.raises(Refusal) as refused:
            read_run([tmp_path / name])
        assert refused.value.code == code


def test_an_empty_database_and_only_its_first_bytes_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a", {}, "CREATE TABLE t (a)", "DROP TABLE t")
    whole = path.read_bytes()
    for content, code in ((whole, "nsys_foreign"), (whole[:16], "nsys_damaged")):
        path.write_bytes(content)
        with pytest.raises(Refusal) as refused:
            read_run([path])
        assert refused.value.code == code


def test_ranks_of_several_files_are_counted(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{at}", run_of(pid=at + 10, device=at)) for at in range(3)]
    run = read_run(paths)
    assert [each.rank for each in run.ranks] == [0, 1, 2]
    assert [each.file for each in run.ranks] == [str(path) for path in paths]
    assert diagnose(paths, "en")["source"]["ranks"] == 3


@pytest.mark.parametrize("num", [0, 1025])
def test_the_number_of_files_is_limited(tmp_path: Path, num: int) -> None:
    with pytest.raises(Refusal) as refused:
        read_run([tmp_path / "a"] * num)
    assert refused.value.code == "num_files"
