"""A timeline: who exchanges what and waits for whom, as data, picture and document."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest
import torch
from torch import nn

from torchstone.core.i18n import LANGS, Lang
from torchstone.distributed import Entry, Link, Refusal, World, Zero, run_threads, timeline
from torchstone.distributed.comm.activity import Waited

pytestmark = [pytest.mark.torch]

BANDWIDTH_BYTES_S, LATENCY_S = 1e6, 0.0


def entry(start_s: float, end_s: float, *, number: int = 0, label: str = "") -> Entry:
    return Entry(
        op="all_reduce",
        axis="world",
        bytes_sent=8,
        bytes_received=4,
        number=number,
        start_s=start_s,
        end_s=end_s,
        label=label,
    )


def recorded(num_ranks: int) -> timeline.Timeline:
    def train(world: World) -> list[Entry]:
        model = nn.Linear(64, 32)
        zero = Zero(model, lambda p: torch.optim.SGD(p, lr=0.1), stage=2, comm=world.comm())
        begin = len(world.comm().ledger.entries)
        model(torch.ones(2, 64)).sum().backward()
        zero.step()
        return world.comm().ledger.entries[begin:]

    link = Link(bandwidth_bytes_s=BANDWIDTH_BYTES_S, latency_s=LATENCY_S)
    return timeline.of(run_threads(train, num_ranks, link=link))


def test_all_wait_for_the_last_one() -> None:
    (one,) = timeline.of([[entry(1, 5)], [entry(4, 5)], [entry(2, 5)]]).collectives
    assert (one.last, one.waits()) == (1, {0: 3, 2: 2})
    assert [each.begin_s for each in one.bars] == [3, 3, 3]
    assert [each.end_s for each in one.bars] == [4, 4, 4]


def test_those_that_launch_at_once_wait_for_none() -> None:
    (one,) = timeline.of([[entry(0, 5)], [entry(0, 5)]]).collectives
    assert (one.last, one.waits()) == (None, {})


def test_a_collective_begins_when_the_one_before_it_is_done() -> None:
    ranks = [[entry(0, 4), entry(1, 6, number=1)] for _ in range(2)]
    first, second = timeline.of(ranks).collectives
    assert {each.begin_s for each in first.bars} == {0}
    assert {each.begin_s for each in second.bars} == {4}


def test_messages_in_both_directions_pass_each_other() -> None:
    def talk(world: World) -> list[Entry]:
        comm, other = world.comm(), 1 - world.rank
        works = [comm.send(torch.ones(250), other), comm.recv(torch.ones(250), other)]
        for work in works:
            work.wait()
        return comm.ledger.entries

    link = Link(bandwidth_bytes_s=BANDWIDTH_BYTES_S, latency_s=LATENCY_S)
    both = timeline.of(run_threads(talk, 2, link=link)).collectives
    assert [(bar.begin_s, bar.end_s) for each in both for bar in each.bars] == [(0, 1e-3)] * 4


def test_waits_are_those_of_the_ranks_and_have_their_times() -> None:
    waited = Waited(
        start_s=3, end_s=4, op="all_reduce", axis="world", number=0, ranks=(0, 1), last=1
    )
    drawn = timeline.of([[entry(2, 5)], [entry(4, 5)]], waits=[[waited], []])
    (wait,) = drawn.waits
    assert (wait.rank, wait.start_s, wait.end_s, wait.last) == (0, 1, 2, 1)
    assert drawn.to_dict()["waits"][0]["ranks"] == (0, 1)


@pytest.mark.parametrize("lang", LANGS)
def test_waits_are_drawn_for_the_rank_that_is_late_and_in_a_table(lang: Lang) -> None:
    waited = [
        Waited(start_s=a, end_s=b, op="all_reduce", axis="dp", number=7, ranks=(0, 1), last=last)
        for a, b, last in ((2, 4, 1), (4, 5, None))
    ]
    spans = [[(0.0, 2.0, "F")], [(0.0, 4.0, "F")]]
    drawn = timeline.of([[entry(2, 5)], [entry(4, 5)]], compute=spans, waits=[waited, []])
    titles = [
        each.text
        for each in ElementTree.fromstring(drawn.svg(lang=lang)).iter()
        if each.tag.endswith("title") and each.text and "#7" in each.text
    ]
    assert len(titles) == 2
    assert ["rank 1" in each for each in titles] == [True, False]
    rows = drawn.html(lang=lang).split("<h2>")[-1].split("<tr>")[2:]
    cells = [[cell.split("<")[0] for cell in row.split("<td>")[1:]] for row in rows]
    assert cells == [["2 s", "2 s", "1 s"], ["4 s", "0", "0"]]


def test_waits_of_another_number_of_ranks_are_refused() -> None:
    with pytest.raises(ValueError, match="waits has 1 ranks and the ledgers have 2"):
        timeline.of([[entry(2, 5)], [entry(4, 5)]], waits=[[]])


def test_a_message_has_its_sender_and_its_receiver() -> None:
    def talk(world: World) -> list[Entry]:
        comm = world.comm()
        if world.rank == 2:
            comm.send(torch.ones(250), 0, tag=7).wait()
        if world.rank == 0:
            comm.recv(torch.ones(250), 2, tag=7).wait()
        return comm.ledger.entries

    link = Link(bandwidth_bytes_s=BANDWIDTH_BYTES_S, latency_s=LATENCY_S)
    (one,) = timeline.of(run_threads(talk, 3, link=link)).collectives
    assert one.op == "send"
    assert {each.rank: each.bytes_sent for each in one.bars} == {0: 0, 2: 1000}
    assert max(each.end_s - each.begin_s for each in one.bars) == pytest.approx(1e-3)


@pytest.mark.parametrize("num_ranks", [1, 2, 5])
def test_a_training_has_each_collective_once_with_all_its_ranks(num_ranks: int) -> None:
    found = recorded(num_ranks)
    assert found.num_ranks == num_ranks
    ops = [each.op for each in found.collectives]
    assert sorted(set(ops)) == ["all_gather", "all_reduce", "reduce_scatter"]
    assert all([bar.rank for bar in each.bars] == [*range(num_ranks)] for each in found.collectives)
    assert found.end_s == max(bar.end_s for each in found.collectives for bar in each.bars)


def test_computing_counts_for_the_bubble() -> None:
    spans = [[(0.0, 3.0, "F0")], [(1.0, 2.0, "F0")]]
    assert timeline.of([[], []], compute=spans).bubble == pytest.approx(1 - 4 / 6)
    assert timeline.of([[entry(0, 1)], [entry(0, 1)]]).bubble is None
    with pytest.raises(ValueError, match="compute has 1 ranks and the ledgers have 2"):
        timeline.of([[], []], compute=spans[:1])


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.num_rows = 0
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.num_rows += tag == "tr"
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_document_has_a_row_of_its_table_for_each_collective(
    tmp_path: Path, lang: timeline.Lang
) -> None:
    found = recorded(3)
    page = _Page()
    page.feed(found.write(tmp_path / "t.html", lang=lang).read_text(encoding="utf-8"))
    assert page.num_rows == 1 + len(found.collectives)
    assert page.addresses == []


def test_the_picture_is_xml_that_names_each_rank_and_hides_no_label() -> None:
    ranks = [[entry(0, 1, label='a<&"b')]] * 2
    root = ElementTree.fromstring(timeline.of(ranks).svg())
    words = [each.text or "" for each in root.iter() if each.text]
    assert any("rank 0" in each for each in words)
    assert any("rank 1" in each for each in words)
    assert any('a<&"b' in each for each in words)


def test_the_data_are_those_of_the_object(tmp_path: Path) -> None:
    found = recorded(2)
    file = found.write(tmp_path / "t.JSON")
    assert json.loads(file.read_text()) == found.to_dict()


def test_nothing_has_a_picture_too() -> None:
    ElementTree.fromstring(timeline.of([]).svg())
    ElementTree.fromstring(timeline.of([[], []]).svg())


def test_another_suffix_and_a_folder_that_is_not_there_are_refused(tmp_path: Path) -> None:
    found = timeline.of([[]])
    with pytest.raises(Refusal) as caught:
        found.write(tmp_path / "t.png")
    assert caught.value.code == "timeline_suffix"
    with pytest.raises(Refusal) as caught:
        found.write(tmp_path / "absent" / "t.svg")
    assert caught.value.code == "unwritable"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_refused_before_the_run(tmp_path: Path) -> None:
    file = tmp_path / "t.svg"
    timeline.require_new(file)
    assert not file.exists()
    file.write_text("mine")
    with pytest.raises(Refusal) as caught:
        timeline.require_new(file)
    assert (caught.value.code, file.read_text()) == ("file_taken", "mine")
