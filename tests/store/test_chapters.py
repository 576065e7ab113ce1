"""What was read of chapters: the last place and the last word on whether it is done."""

from pathlib import Path

import pytest

from torchstone.store import open_store

pytestmark = pytest.mark.pure


def test_the_place_and_the_end_of_a_chapter_are_kept_apart(path: Path) -> None:
    with open_store(path) as store:
        assert store.readings() == {}
        store.finish_chapter("zero", is_done=False)
        assert store.readings() == {}, "what was never begun cannot be reopened"
        store.reach_section("masks", 3)
        store.reach_section("masks", 3)
        store.finish_chapter("masks", is_done=True)
        store.reach_section("masks", 1)
        reading = store.readings()["masks"]
        assert (reading.section, reading.is_done) == (1, True)
        store.finish_chapter("masks", is_done=False)
        assert not store.readings()["masks"].is_done
        # It is neither work on a problem nor a choice.
        assert store.all_progress() == {}
        assert store.marked() == frozenset()
        document = store.export_progress().document
        assert document.count(b'"chapter_id"') == 0
        assert document.count(b'"masks"') == 4
    with open_store(path.parent / "other" / "data.db") as other:
        assert other.import_progress(document).activities == 4
        assert other.import_progress(document).activities == 0
        assert other.readings()["masks"].section == 1


@pytest.mark.parametrize("section", [-1, 3_601])
def test_a_section_that_no_text_has_is_refused(path: Path, section: int) -> None:
    with open_store(path) as store, pytest.raises(ValueError, match="reach_section"):
        store.reach_section("masks", section)
