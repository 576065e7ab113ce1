# outcome: WA | RTE
# tries: send an answer that breaks whoever grades it
# groups: sample errors
import sys

sys.modules["child.driver"].answer = lambda *args: {
    "raised": None,
    "fault": {"code": "RTE", "aspect": "shape", "detail": {"en": "\x00", "zh": "\ud800"}},
}
