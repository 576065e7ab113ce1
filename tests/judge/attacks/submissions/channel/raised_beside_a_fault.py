# outcome: WA | RTE
# tries: send an answer that breaks whoever grades it
# groups: sample errors
import sys

sys.modules["child.driver"].answer = lambda *args: {
    "raised": None,
    "fault": {"key": "value_type", "values": {"type": "\x00\ud800{type.__class__}"}},
}
