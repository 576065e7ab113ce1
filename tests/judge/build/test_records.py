"""What the compiler process replies and what the host reads are the same, entry by entry."""

import json
from typing import Any

import pytest

from torchstone.cudasim.diagnostics import Diagnostic
from torchstone.judge import messages, replies
from torchstone.judge.build import records, refusals
from torchstone.judge.build.records import CompilerSettings, VisiblePaths, read_settings
from torchstone.judge.child.protocol.records import as_dict

pytestmark = pytest.mark.pure

PAIRS: list[tuple[type[Any], type[Any]]] = [
    (refusals.RefusedReply, replies.Refused),
    (refusals.MessageRecord, replies.CompilerMessage),
    (records.BuiltReply, replies.BuiltProducts),
    (records.FaultReply, replies.BuildFault),
    (records.ExplainedReply, replies.Explained),
    (records.KernelTable, messages.CountedKernel),
    (records.LineTable, messages.CountedLine),
    (records.CardReply, replies.OnCard),
    (records.CardTable, messages.Card),
    (records.CardErrorTable, messages.CardError),
]


@pytest.mark.parametrize(("sent", "read"), PAIRS)
def test_both_sides_name_the_same_entries(sent: type[Any], read: type[Any]) -> None:
    assert set(sent.__annotations__) == set(read.__struct_fields__)


def test_messages_of_the_compiler_are_read_into_a_type() -> None:
    message = Diagnostic(file="kernel.cu", line=3, column=7, severity="error", message="no x")
    reply = refusals.not_compiled([message])
    found = replies.read_built(reply)
    assert isinstance(found, replies.Refused)
    assert (found.line, found.column, found.word) == (3, 7, "no x")
    assert found.messages == (
        replies.CompilerMessage(
            file="kernel.cu", line=3, column=7, severity="error", message="no x"
        ),
    )
    assert list(reply["messages"][0]) == ["file", "line", "column", "severity", "message"]


SETTINGS = CompilerSettings(
    fds=[3, 4, 5],
    folder="/judge/work",
    site=None,
    has_hooks=False,
    import_path="/src",
    address_space_bytes=1 << 30,
    filter_fd=7,
    landlock=VisiblePaths(executable=("/usr",), read_only=(), read_write=("/dev/null",)),
)
# Recorded when the settings were a plain dictionary.
TEXT = (
    '{"fds": [3, 4, 5], "folder": "/judge/work", "site": null, "has_hooks": false, '
    '"import_path": "/src", "address_space_bytes": 1073741824, "filter_fd": 7, "landlock": '
    '{"executable": ["/usr"], "read_only": [], "read_write": ["/dev/null"]}}'
)


def test_the_settings_of_a_compiler_travel_in_the_recorded_text() -> None:
    assert json.dumps(as_dict(SETTINGS)) == TEXT
    assert json.dumps(as_dict(read_settings(TEXT))) == TEXT


def test_settings_without_landlock_are_read() -> None:
    assert read_settings(json.dumps(json.loads(TEXT) | {"landlock": None})).landlock is None


@pytest.mark.parametrize("change", [{"more": 1}, {"landlock": {"executable": []}}])
def test_settings_with_other_entries_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        read_settings(json.dumps(json.loads(TEXT) | change))
