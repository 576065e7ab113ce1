# outcome: WA | RTE
# tries: send an answer that breaks whoever grades it
# groups: sample errors
import sys

sys.modules["child.driver"].answer = lambda *args: {
    "fault": {"key": "AC", "values": {}, "code": "AC", "aspect": None}
}
