"""The driver answers each request with what came, or with the fact that was broken."""

import re
from typing import Any

import pytest
import torch

from torchstone.bank.loader import CONTENT
from torchstone.judge.child import driver
from torchstone.judge.child.loaders.submission import load
from torchstone.judge.kit import Case, Request, call, module_call, refusals, together
from torchstone.judge.kit.faults import FAULTS, say_fault
from torchstone.judge.reference.answers import is_answer

pytestmark = pytest.mark.torch

X = torch.tensor([1.0, 2.0])
SCALE = """
import torch
class Scale(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(size))
    def forward(self, x):
        return x * self.weight
"""


def ask(source: str, *requests: Request) -> dict[str, Any]:
    """Return the last answer of a file to some requests."""
    submission, session = load(source, []), driver.Session()
    answer: dict[str, Any] = {}
    for request in requests:
        answer = driver.answer(submission, request.op, request.data, session)
    return answer


def fault(body: str, *requests: Request) -> str:
    found = ask(f"import torch\n{body}", *(requests or (call("f", X.clone(), wrt=[0]),)))
    assert is_answer(found)
    verdict, _ = FAULTS[found["fault"]["key"]]
    return f"{verdict} {say_fault(found['fault'])['en']}"


def test_outputs_and_gradients_come_together() -> None:
    request = call("f", X.clone(), wrt=[0], cotangents=[torch.ones(2)])
    found = ask("def f(x): return x * 3", request)
    assert found["out"].tolist() == [3, 6]
    assert found["grad.0"].tolist() == [3, 3]


def test_several_results_are_numbered() -> None:
    found = ask("def f(x): return x + 1, x + 2", call("f", X.clone()))
    assert found["out.len"] == 2
    assert found["out.1"].tolist() == [3, 4]


PAIR = """
from typing import NamedTuple
class Pair(NamedTuple):
    sum: object
    product: object
"""


def test_a_named_tuple_gives_its_items_and_their_gradients() -> None:
    fields, cotangents = ("sum", "product"), [torch.ones(2), torch.ones(2)]
    request = call("f", X.clone(), wrt=[0], cotangents=cotangents, fields=fields)
    found = ask(PAIR + "def f(x): return Pair(x + 1, x * x)", request)
    assert found["out.len"] == 2
    assert found["out.1"].tolist() == [1, 4]
    assert found["grad.0"].tolist() == [3, 5]


def test_a_field_with_a_question_mark_may_be_none() -> None:
    request = call("f", X.clone(), fields=("sum", "product?"))
    assert ask(PAIR + "def f(x): return Pair(x + 1, x * x)", request)["out.len"] == 2
    found = ask(PAIR + "def f(x): return Pair(x + 1, None)", request)
    assert found["out.len"] == 1
    assert found["out.0"].tolist() == [2, 3]


def test_any_other_field_must_not_be_none() -> None:
    request = call("f", X.clone(), fields=("sum", "product?"))
    found = fault(PAIR + "def f(x): return Pair(None, x)", request)
    assert found.startswith("WA result 0 is ")


@pytest.mark.parametrize(
    "result", ["(x + 1, x * x)", "[x + 1, x * x]", "x * x", "Other(x + 1, x * x)", "Pair(x, 2)[:1]"]
)
def test_a_result_without_the_fields_is_named(result: str) -> None:
    other = PAIR.replace("Pair", "Other").replace("product", "sums")
    request = call("f", X.clone(), fields=("sum", "product"))
    found = fault(f"{PAIR}{other}def f(x): return {result}", request)
    assert found.startswith("WA the result is ")
    assert found.endswith("; expected a named tuple with exactly the fields sum, product")


def test_the_items_of_a_named_tuple_are_judged_like_any_others() -> None:
    body = PAIR + "n = []\ndef f(x): n.append(1); return Pair(x + 1, x * len(n))"
    assert fault(body, call("f", X.clone(), fields=("sum", "product"))).startswith(
        "WA a second call"
    )


def test_a_module_is_built_filled_and_called() -> None:
    state = {"weight": torch.tensor([2.0, 5.0])}
    request = module_call(
        "Scale", X.clone(), init=[2], state=state, wrt=["state.weight"], cotangents=[torch.ones(2)]
    )
    found = ask(SCALE, request)
    assert found["out"].tolist() == [2, 10]
    assert found["grad.state.weight"].tolist() == [1, 2]


def test_a_parameter_of_another_shape_is_named() -> None:
    request = module_call("Scale", X.clone(), init=[3], state={"weight": X})
    assert ask(SCALE, request)["fault"] == {
        "key": "parameter_shape",
        "values": {"name": "weight", "shape": "(2,)"},
    }


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("def f(x): x.data += 1; return x * 2", "INPUT_MUTATED the call changed"),
        ("def f(x): return x.detach()", "WA the result shares memory"),
        ("def f(x): return [1.0]", "WA result 0 is float"),
        ("def f(x): return [x * 2, x]", "WA result 1 shares memory with an input"),
        ("def f(x): return None", "WA the result is None"),
        ("def f(x): y = x * 2; return y, y[:1]", "WA results 0 and 1 share memory"),
        ("def f(x): y = x * 2; return [y[:0], y, y[:]]", "WA results 1 and 2 share memory"),
        ("def f(x): torch.manual_seed(1); return x * 2", "WA the call changed the random state"),
        ("n = []\ndef f(x): n.append(1); return x * len(n)", "WA a second call"),
    ],
)
def test_a_broken_fact_is_named(body: str, wanted: str) -> None:
    state = torch.get_rng_state()
    assert fault(body).startswith(wanted)
    torch.set_rng_state(state)


def test_a_buffer_that_is_used_again_is_seen_at_the_next_call() -> None:
    body = "b = torch.empty(2)\ndef f(x): return b.copy_(x.detach())"
    first, second = (call("f", X * n, twice=False, views=True) for n in (1, 2))
    assert "a buffer is reused" in fault(body, first, second)


def test_an_exception_is_an_answer_and_so_is_leaving() -> None:
    for body, kind in (("1 / 0", "ZeroDivisionError"), ("raise SystemExit", "SystemExit")):
        found = ask(f"def f(x): {body}", call("f", X.clone()))
        assert found["raised"]["type"] == kind


def test_several_calls_are_answered_each_under_its_name() -> None:
    requests = {
        "plain": call("f", X.clone(), wrt=[0], cotangents=[torch.ones(2)]).data,
        "broken": call("g", X.clone()).data,
        "changed": call("h", X.clone()).data,
    }
    body = "def f(x): return x * 3\ndef g(x): return 1 / 0\ndef h(x): x.data += 1; return x * 2"
    found = ask(body, Request(op="together", data={"calls": requests}))
    assert found["plain:out"].tolist() == [3, 6]
    assert found["plain:grad.0"].tolist() == [3, 3]
    assert found["broken:raised"]["type"] == "ZeroDivisionError"
    assert found["changed:fault"] == {"key": "call_mutated", "values": {}}


def test_requests_of_the_probe_are_answered_among_the_calls() -> None:
    def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
        return {"out": submission.f(data["x"]), "op": op}

    cases = {
        "call": Case(steps=(call("f", X.clone()),)),
        "probe": Case(steps=(Request(op="look", data={"x": 4}),)),
    }
    (step,) = together(cases).steps
    submission = load("def f(x): return x * 3", [])
    found = driver.answer(submission, step.op, step.data, driver.Session(), probe)
    assert found["call:out"].tolist() == [3, 6]
    assert {key: found[key] for key in ("probe:out", "probe:op")} == {
        "probe:out": 12,
        "probe:op": "look",
    }


def test_refusals_are_made_one_after_the_other() -> None:
    body = "def f(x):\n    if x < 0: raise ValueError(x)\n    if x > 5: raise SystemExit"
    calls = {name: call("f", x) for name, x in (("low", -1), ("right", 1), ("high", 6))}
    found = ask(body, refusals({**calls, "absent": call("g", 1)}))
    kinds = {name: error["type"] for name, error in found.items()}
    assert kinds == {
        "low.raised": "ValueError",
        "high.raised": "SystemExit",
        "absent.raised": "AttributeError",
    }


def test_the_second_request_sees_fresh_leaves() -> None:
    requests = [call("f", X.clone(), wrt=[0], cotangents=[torch.ones(2)]) for _ in range(2)]
    assert ask("def f(x): return x * 3", *requests)["grad.0"].tolist() == [3, 3]


def test_a_script_gives_its_exit_code_and_names() -> None:
    submission = load("n = 7\nraise SystemExit(3)", [], execute=False)
    data = {"names": ["n", "m"]}
    found = driver.answer(submission, "run", data, driver.Session())
    assert found == {"exit": 3, "name.n": 7, "name.m": None}


def test_what_only_a_probe_knows_needs_one() -> None:
    assert "has no probe" in ask("x = 1", Request(op="dance", data={}))["raised"]["message"]


def test_a_probe_gets_the_tools_that_are_listed() -> None:
    def probe(submission: Any, op: str, data: Any, tools: Any) -> dict[str, Any]:
        return {"op": op, "missing": [name for name in tools.__all__ if not hasattr(tools, name)]}

    found = driver.answer(load("", []), "look", {}, driver.Session(), probe)
    assert found == {"op": "look", "missing": []}


def test_the_probes_of_the_bank_use_listed_tools_alone() -> None:
    probes = sorted(CONTENT.glob("problems/*/probe.py"))
    assert probes
    for probe in probes:
        used = set(re.findall(r"\btools\.(\w+)", probe.read_text(encoding="utf-8")))
        assert used <= set(driver.__all__), probe


def ask_again(body: str, request: Request) -> dict[str, Any]:
    """Return the answer to a call that is made once more on the same, overwritten tensors."""
    again = AGAIN[: 1 + len(request.data["cotangents"])]
    return ask(body, Request(op="call", data={**request.data, "again": again}))


AGAIN = [torch.tensor([10.0, 20.0]), torch.tensor([3.0, 4.0])]


def test_results_beside_each_other_in_one_buffer_do_not_share_memory() -> None:
    body = "def f(x): y = (x * 2).repeat(2).view(2, 2); return y[:, 0], y[:, 1]"
    assert "fault" not in ask(body, call("f", X.clone(), twice=False))


def test_a_call_is_made_again_on_the_same_tensors_with_other_values() -> None:
    x = X.clone()
    request = call("f", x, wrt=[0], cotangents=[torch.ones(2)])
    found = ask_again("def f(x): return x * x", request)
    assert found["out"].tolist() == [1, 4]
    assert found["again:out"].tolist() == [100, 400]
    assert found["again:grad.0"].tolist() == [60, 160]
    assert x._version == 0, "the version counter does not show that the values are others"


@pytest.mark.parametrize("key", ["x.data_ptr()", "id(x)", "x._version", "weakref.ref(x)"])
def test_a_remembered_answer_is_that_of_the_former_call(key: str) -> None:
    body = f"import weakref\nm = {{}}\nk = []\ndef f(x):\n  k.append(x)\n  key = {key}\n"
    if "weakref" in key:
        body = body.replace(f"key = {key}", "key = id(weakref.ref(x)())")
    body += "  if key not in m: m[key] = x * x\n  return m[key].clone()"
    request = call("f", X.clone(), wrt=[0], cotangents=[torch.ones(2)])
    assert ask_again(body, request)["again:out"].tolist() == [1, 4]


REMEMBERS = """
import torch
m, k = {{}}, []
def f(x):
  k.append(x)
  key = x.data_ptr() if {without} else len(k)
  if key not in m: m[key] = x * x
  return m[key].clone()
"""


@pytest.mark.parametrize(
    "without",
    [
        "not x.requires_grad",
        "not torch.is_grad_enabled()",
        "not (x.requires_grad or torch.is_grad_enabled())",
    ],
)
def test_an_answer_that_is_remembered_only_without_gradients_is_seen(without: str) -> None:
    request = call("f", X.clone(), wrt=[0], cotangents=[torch.ones(2)])
    found = ask_again(REMEMBERS.format(without=without), request)
    assert found == {"fault": {"key": "former_answer", "values": {}}}


@pytest.mark.parametrize(
    "body",
    [
        # What depends on the shape alone may be remembered; some results do not depend on x.
        "m = {}\ndef f(x): return x * m.setdefault(x.shape, torch.arange(1.0, 3.0))",
        "def f(x): return x * 0 + 1",
        "def f(x): return x * 2, torch.ones(2)",
        # Other bits with a graph than without, and no call at all without one.
        "def f(x): return x.sin() if x.requires_grad else (x.double().sin()).float()",
        "def f(x):\n  y = x * 2\n  y.register_hook(lambda g: g)\n  return y * x",
    ],
)
def test_a_right_answer_is_not_taken_for_a_remembered_one(body: str) -> None:
    found = ask_again(
        f"import torch\n{body}", call("f", X.clone(), wrt=[0], cotangents=[torch.ones(2)])
    )
    assert "fault" not in found
    assert "raised" not in found
    assert torch.is_grad_enabled()


def test_a_remembered_graph_of_a_module_is_the_former_answer() -> None:
    scale = SCALE.replace("return x * self.weight", "self.y = getattr(self, 'y', x * self.weight)")
    scale += "        return self.y.clone()\n"
    state = {"weight": torch.tensor([2.0, 5.0])}
    options: dict[str, Any] = {"wrt": [0], "cotangents": [torch.ones(2)]}
    request = module_call("Scale", X.clone(), init=[2], state=state, **options)
    again = [X * 10, torch.ones(2), torch.tensor([3.0, 7.0])]
    found = ask(scale, Request(op="call", data={**request.data, "again": again}))
    assert found["fault"] == {"key": "former_answer", "values": {}}
    right = ask(SCALE, Request(op="call", data={**request.data, "again": again}))
    assert right["again:out"].tolist() == [30, 140]


def test_an_error_of_the_second_call_alone_is_its_error() -> None:
    body = "n = []\ndef f(x):\n  n.append(1)\n  return x * 2 if len(n) < 3 else 1 / 0"
    assert ask_again(body, call("f", X.clone()))["raised"]["type"] == "ZeroDivisionError"


def test_a_buffer_that_the_second_call_reuses_is_seen() -> None:
    body = "b = torch.empty(2)\ndef f(x): return b.copy_(x.detach())"
    request = call("f", X.clone(), twice=False)
    found = ask_again(f"import torch\n{body}", request)
    assert found["fault"]["key"] == "previous_result_changed"


def test_a_view_shows_the_new_values() -> None:
    request = call("f", X.clone(), views=True)
    assert ask_again("def f(x): return x[:1]", request)["again:out"].tolist() == [10]
