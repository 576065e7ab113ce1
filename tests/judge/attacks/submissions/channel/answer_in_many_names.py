# outcome: WA | RTE
# tries: send an answer that breaks whoever grades it
# groups: sample errors
import sys

sys.modules["child.driver"].answer = lambda *args: {f"out.{n}": 1 for n in range(50_000)}
