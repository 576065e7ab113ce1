import pytest

from tests.judge.native import honest

pytestmark = [pytest.mark.full, pytest.mark.torch]

ALL_PROBLEMS = ("01", "02", "03", "07", "10")


def assert_undisturbed(result):
    assert result["status"] == 0, result["output"]
    assert result["report"] == []


@pytest.mark.gate("01-*")
@pytest.mark.parametrize("name", honest.ANY)
@pytest.mark.parametrize("problem", ALL_PROBLEMS)
def test_ordinary_code_runs_under_every_kind_of_ban(warm, problem, name):
    assert_undisturbed(warm.run(problem, honest.HEAD + honest.ANY[name]))


@pytest.mark.gate("01-Func*", "01-vmap*", "01-half", "02-by*", "03-*", "04-*", "07-*")
@pytest.mark.parametrize(
    ("problem", "name"),
    [(problem, name) for problem, table in honest.BY_PROBLEM.items() for name in table],
)
def test_what_a_problem_allows_runs_with_the_right_numbers(warm, problem, name):
    assert_undisturbed(warm.run(problem, honest.HEAD + honest.BY_PROBLEM[problem][name]))


FORWARD = """
import torch
def f(x):
    return x.as_strided((2, *x.shape), (0, *x.stride()))
"""
BACKWARD = """
import torch
x = torch.ones(3, requires_grad=True)
y = submission["f"](x).sum()
{run}
assert x.grad.tolist() == [2.0, 2.0, 2.0]
"""


def test_autograd_may_expand_while_the_ban_is_lifted(warm):
    assert_undisturbed(
        warm.run("03", FORWARD, BACKWARD.format(run="bans.while_lifted(y.backward)"))
    )


def test_autograd_may_not_expand_while_the_ban_is_awake(warm):
    assert warm.run("03", FORWARD, BACKWARD.format(run="y.backward()"))["status"] == 86


def test_a_lifted_ban_still_fires_outside_the_engine(warm):
    driver = "import torch\nbans.while_lifted(lambda: torch.ones(1).expand(3))"
    assert warm.run("03", "", driver)["status"] == 86


def test_a_file_may_record_while_it_is_loaded_and_never_after(warm):
    driver = (
        "import torch\nw = torch.ones(3, requires_grad=True)\n"
        "bans.load(lambda: (w * w).sum().backward(), bare=False)\n"
        "assert w.grad.tolist() == [2.0] * 3\nw * 2"
    )
    result = warm.run("02", "", driver)
    assert result["status"] == 86, result["output"]
    assert result["report"][0]["operator"] == "aten::mul.Tensor"


def test_recording_stays_allowed_where_the_problem_does_not_ban_it(warm):
    driver = "import torch\nbans.load(int, bare=False)\ntorch.ones(3, requires_grad=True) * 2"
    assert_undisturbed(warm.run("01", "", driver))


def test_the_driver_can_read_bytes_where_numpy_is_banned(warm):
    driver = "import torch\nassert bytes(memoryview(torch.ones(2).numpy())) != b''"
    assert_undisturbed(warm.run("03", "", driver))


WITHOUT_OPERATORS = {
    "plainly": "torch.zeros(1)",
    "on the meta device": "torch.empty(2, device='meta')",
    "in inference mode": "with torch.inference_mode(): torch.zeros(1)",
    "unseen by modes": "with torch._C._DisableTorchDispatch(): torch.zeros(1)",
    "below autograd": "with torch._C._AutoDispatchBelowAutograd(): torch.zeros(1)",
    "in a thread": "import threading; t = threading.Thread(target=torch.zeros, args=(1,))\n"
    "t.start(); t.join()",
    "unobserved": "torch._C._autograd._enable_record_function(False)",
    "without observers": "torch._C._autograd._clear_callbacks()",
    "by key": "torch.ops.aten.neg.default._op_dk(torch._C.DispatchKey.CPU, z)",
    "by another dispatch": "k = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)\n"
    "torch.ops.aten.neg.default.redispatch(k, z)",
}


@pytest.mark.parametrize("way", WITHOUT_OPERATORS)
def test_no_operator_is_called_while_every_one_is_banned(warm, way):
    driver = "import torch\nz = torch.zeros(1)\nbans.load(int, bare=True)\n"
    assert warm.run("03", "", driver + WITHOUT_OPERATORS[way])["status"] == 86
