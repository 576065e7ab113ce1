# outcome: WA | RTE
# tries: send an answer that breaks whoever grades it
# groups: sample errors
import sys

sys.modules["child.driver"].answer = lambda *args: {
    "out": {"a": [1, (2, {"b": b"x"})]},
    "grad.0": "text",
    "out.len": float("nan"),
}
