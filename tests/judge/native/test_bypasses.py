import pytest

from tests.judge.native import bypasses, raw_memory_and_recording, related_operators

pytestmark = [pytest.mark.torch, pytest.mark.attack]


def assert_stopped(result, wanted):
    assert result["status"] == 86, result
    hit = result["report"][0]
    assert hit["code"] == "FORBIDDEN_OP"
    assert wanted in hit["operator"], result


@pytest.mark.gate(
    "by_*",
    "compile",
    "custom_op",
    "dispatch_mode",
    "functional",
    "getattr",
    "func.grad",
    "jit*",
    "bare_thread",
    "fake_tensors",
    "decomp*",
    "from import",
)
@pytest.mark.parametrize("name", bypasses.SOFTMAX)
def test_no_spelling_of_softmax_gets_through(warm, name):
    source, wanted = bypasses.SOFTMAX[name]
    assert_stopped(warm.run("01", bypasses.HEAD + source), wanted)


@pytest.mark.gate("_testcapi", "a_d*", "capsule", "a_stream*")
@pytest.mark.parametrize("name", raw_memory_and_recording.RAW_MEMORY)
def test_no_way_to_raw_memory_or_other_programs_is_open(warm, name):
    source, wanted = raw_memory_and_recording.RAW_MEMORY[name]
    assert_stopped(warm.run("01", bypasses.HEAD + source), wanted)


@pytest.mark.gate(
    "autograd.grad",
    "by_alias_key",
    "func.grad",
    "functional.vjp",
    "inside_*",
    "switch*",
    "redispatch",
)
@pytest.mark.parametrize("name", raw_memory_and_recording.RECORDING)
def test_no_graph_can_be_recorded_while_recording_is_banned(warm, name):
    source = raw_memory_and_recording.RECORDING_HEAD + raw_memory_and_recording.RECORDING[name]
    assert_stopped(warm.run("02", source), "")


@pytest.mark.parametrize("name", related_operators.EXPAND)
def test_no_spelling_of_expand_gets_through(warm, name):
    source, wanted = related_operators.EXPAND[name]
    assert_stopped(warm.run("03", bypasses.HEAD + source), wanted)


@pytest.mark.gate(
    "02-binary", "04-backward", "05-relu_", "05-threshold*", "07-native", "09-gru", "10-gradcheck"
)
@pytest.mark.parametrize(
    ("problem", "name"),
    [
        (problem, name)
        for problem, table in related_operators.RELATED_OPERATORS.items()
        for name in table
    ],
)
def test_no_operator_related_to_a_banned_one_gets_through(warm, problem, name):
    source, wanted = related_operators.RELATED_OPERATORS[problem][name]
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


# A class with a method in Python beside them: by the class, by its __new__, and by other kinds.
CLASS = """
import torch
K = torch.nn.parameter.Parameter
"""


@pytest.mark.parametrize("call", ["K(torch.ones(2))", "K.__new__(K, torch.ones(2))"])
def test_a_class_that_is_closed_by_name_makes_no_instance(warm, call):
    deny = {"functions": ["torch.nn.parameter.Parameter"]}
    result = warm.run_under(deny, f"{CLASS}{call}")
    assert result["status"] == 86, result
    assert "Parameter.__new__" in result["report"][0]["operator"]


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        ("torch.autograd.function.NestedIOFunction", "saved_tensors.fget(None)"),
        ("torch.utils.data.datapipes.datapipe.IterDataPipe", "register_function('a', print)"),
        ("torch.autograd.function.Function", "vmap(None, None)"),
    ],
)
def test_every_kind_of_method_of_a_closed_class_is_closed(warm, kind, call):
    result = warm.run_under({"functions": [kind]}, f"import torch\n{kind}.{call}")
    assert result["status"] == 86, result
    assert kind in result["report"][0]["operator"]
