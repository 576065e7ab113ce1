# outcome: FORBIDDEN_OP
# tries: put code of its own where code is trusted
import sys

driver, bans = sys.modules["child.driver"], sys.modules["child.bans"]


def sendable(tensor):
    globals()["lift"]()
    return tensor


sendable.__globals__["lift"] = bans.lift
driver.sendable.__code__ = sendable.__code__
