import pytest

from tests.judge.native import bypasses, doors, twins

pytestmark = [pytest.mark.torch, pytest.mark.attack]


def assert_stopped(result, wanted):
    assert result["status"] == 86, result
    hit = result["report"][0]
    assert hit["code"] == "FORBIDDEN_OP"
    assert wanted in hit["operator"], result


@pytest.mark.parametrize("name", bypasses.SOFTMAX)
def test_no_spelling_of_softmax_gets_through(warm, name):
    source, wanted = bypasses.SOFTMAX[name]
    assert_stopped(warm.run("01", bypasses.HEAD + source), wanted)


@pytest.mark.parametrize("name", doors.RAW_MEMORY)
def test_no_door_to_raw_memory_or_other_programs_is_open(warm, name):
    source, wanted = doors.RAW_MEMORY[name]
    assert_stopped(warm.run("01", bypasses.HEAD + source), wanted)


@pytest.mark.parametrize("name", doors.RECORDING)
def test_no_graph_can_be_recorded_while_recording_is_banned(warm, name):
    source = doors.RECORDING_HEAD + doors.RECORDING[name]
    assert_stopped(warm.run("02", source), "")


@pytest.mark.parametrize("name", twins.EXPAND)
def test_no_spelling_of_expand_gets_through(warm, name):
    source, wanted = twins.EXPAND[name]
    assert_stopped(warm.run("03", bypasses.HEAD + source), wanted)


@pytest.mark.parametrize(
    ("problem", "name"),
    [(problem, name) for problem, table in twins.TWINS.items() for name in table],
)
def test_no_twin_of_a_banned_operator_gets_through(warm, problem, name):
    source, wanted = twins.TWINS[problem][name]
    assert_stopped(warm.run(problem, bypasses.HEAD + source), wanted)


def test_the_report_names_the_line_and_the_function_of_the_submission(warm):
    source = (
        "import torch\ndef softmax(x):\n    return torch.softmax(x, -1)\n\nsoftmax(torch.ones(3))"
    )
    assert warm.run("01", source)["report"] == [
        {"code": "FORBIDDEN_OP", "operator": "aten::softmax.int"},
        {"line": 3, "function": "softmax"},
    ]


def test_a_closed_report_still_ends_the_process_with_the_status(warm):
    source = "import torch, os\nos.closerange(3, 64)\ntorch.softmax(torch.ones(3), 0)"
    assert warm.run("01", source)["status"] == 86
