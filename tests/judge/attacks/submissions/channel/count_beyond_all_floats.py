# outcome: WA | RTE
# tries: answer integers that no float can hold
# groups: sample small
import sys

sys.modules["child.driver"].answer = lambda *args: {
    "out": 10**400,
    "operators": [10**400, 10**400],
    "grad.0": [-(10**400)],
}
