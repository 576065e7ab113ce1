"""What is evaluated beside the reference cannot read its text."""

import pytest

from torchstone.app.home import Home
from torchstone.app.judging.plain_input import refuse_reference

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    "text",
    [
        "softmax(torch.tensor([1.0, 2.0]))",
        "x = torch.arange(6, dtype=torch.float32).view(2, 3)\ny = x * 2 - 1\nsoftmax(y, dim=-1)[0]",
        "torch.manual_seed(0)\nsoftmax(torch.randn(3))",
        "x = [1.0, 2.0]\nsoftmax(torch.tensor(x)).sum().item()",
    ],
)
def test_inputs_of_values_are_allowed(home: Home, text: str) -> None:
    assert refuse_reference(home.problem("01"), text) is None


@pytest.mark.parametrize(
    "text",
    [
        "import inspect\ninspect.getsource(softmax)",
        "softmax.__code__.co_consts",
        "softmax.__doc__",
        "getattr(softmax, '__code__')",
        "'{0.__code__.co_consts}'.format(softmax)",
        "f'{softmax.__code__}'",
        "torch.jit.script(softmax).code",
        "torch.overrides.inspect.getsource(softmax)",
        "open('/proc/self/fd/3').read()",
        "globals()",
        "print(softmax)",
        "(lambda: 1)()",
        "[c for c in softmax.__code__.co_code]",
        "def softmax(x): return x\nsoftmax(1)",
        "softmax = 1",
        "torch = softmax",
        "helper(1)",
        # Before it has a value of its own, a name is the builtin.
        "eval = eval\neval",
        "helper = helper\nhelper(1)",
        "vars = vars\n__import__ = __import__\nvars(__import__('linecache'))['cache']",
        "x, eval = eval, 1",
        "__builtins__ = 1",
        "x = 1\nx.__class__.__subclasses__()",
        "softmax(torch.zeros(2)).grad_fn.name()",
        "exec('x')",
        "breakpoint()",
        "1 +",
        "(" * 5000,
        "x\0",
    ],
)
def test_what_could_read_a_text_is_refused(home: Home, text: str) -> None:
    assert refuse_reference(home.problem("01"), text) == "names"


def test_random_numbers_need_a_seed_and_a_kernel_has_no_expression(home: Home) -> None:
    random = "softmax(torch.randn(3))"
    assert refuse_reference(home.problem("01"), random) == "random"
    # Only a seed before all that draws is one.
    assert refuse_reference(home.problem("01"), f"{random}\ntorch.manual_seed(0)") == "random"
    made = "SharedMLP(3)(torch.ones(2, 3))"
    assert refuse_reference(home.problem("08"), made) == "random"
    assert refuse_reference(home.problem("08"), f"torch.manual_seed(0)\n{made}") is None
    assert refuse_reference(home.problem("44"), "1 + 1") == "language"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("why", ["language", "names", "random", "limit"])
def test_each_reason_has_a_sentence(lang: str, why: str) -> None:
    from torchstone.core.i18n import both

    assert both(f"app.expected.{why}")[lang]


@pytest.mark.parametrize("text", ["torchrun --nproc_per_node=0 train.py", "python train.py"])
def test_a_command_is_not_called_a_wrong_name(home: Home, text: str) -> None:
    assert refuse_reference(home.problem("27"), text) == "command"
