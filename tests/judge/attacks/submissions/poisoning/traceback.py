# outcome: RTE | WA
# tries: break the description of errors
import linecache
import traceback


def broken(*args, **kwargs):
    raise SystemExit


linecache.getline = traceback.walk_tb = broken


def softmax(x, dim=-1, dtype=None):
    raise ValueError("described by whom?")
