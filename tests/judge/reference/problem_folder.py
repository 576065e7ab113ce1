"""A problem as small as can be, for tests that load the code of one."""

from pathlib import Path

CASES = """
from torchstone.judge.kit import Case, call
GROUPS = ("sample", "small")
def plan(group, draw):
    return [{"n": draw.integer(3, 9)} for _ in range(2)]
def build(group, params, draw):
    x, g = draw.normal((params["n"],)), draw.normal((params["n"],))
    step = call("double", x, wrt=[0], cotangents=[g])
    return Case(steps=(step,), secret={"x": x, "g": g})
"""
ORACLE = """
import torch
from torchstone.judge.kit import Want, bound
K = 4
def expect(case):
    x, g = case.secret["x"].double(), case.secret["g"].double()
    return {
        "out": Want(2 * x, bound(2 * x.abs(), K, torch.float32), torch.float32),
        "grad.0": Want(2 * g, bound(2 * g.abs(), K, torch.float32), torch.float32, aspect="grad"),
    }
def builtin(case):
    return {"out": case.secret["x"].double() * 2}
"""
SOLUTION = "def double(x):\n    return x + x\n"
PATCH = """\
# over: solution.py
# verdict: WA value
# group: sample
@@
-    return x + x
+    return x * 3
"""
WRONG = "# verdict: WA value\n# group: sample\ndef double(x):\n    return x * 3\n"


def write_problem(folder: Path, *, cases: str = CASES, oracle: str = ORACLE) -> Path:
    """Write the folder of the problem, whole or with other cases or another oracle."""
    for name, text in {
        "cases.py": cases,
        "oracle.py": oracle,
        "solution.py": SOLUTION,
        "good/by_two.py": "def double(x):\n    return 2 * x\n",
        "wrong/triple.py": WRONG,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
