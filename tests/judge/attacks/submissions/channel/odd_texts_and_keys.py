# outcome: WA | RTE
# tries: answer texts that cannot be encoded, under keys that cannot be shown
# groups: sample small
import sys

sys.modules["child.driver"].answer = lambda *args: {
    "out": "\ud800",
    "grad.0": {"\udcff": "\ud800"},
    "\ud800": [{"": None}],
}
