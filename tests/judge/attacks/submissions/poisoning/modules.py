# outcome: WA | RTE
# tries: take modules away
# groups: sample small
import sys

of_python = ("json", "struct", "pickle", "socket", "os", "linecache", "traceback")
for name in (*of_python, "child.protocol.wire"):
    sys.modules[name] = None


def softmax(x, dim=-1, dtype=None):
    return x * 0 + 1 / 3
