# outcome: FORBIDDEN_OP
# tries: put code of its own where code is trusted
import sys

driver, bans = sys.modules["child.driver"], sys.modules["child.bans.bans"]


def sendable(tensor):
    globals()["lift"](print)
    return tensor


sendable.__globals__["lift"] = bans.while_lifted
driver.sendable.__code__ = sendable.__code__
