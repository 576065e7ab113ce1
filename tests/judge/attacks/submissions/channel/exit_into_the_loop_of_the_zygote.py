# outcome: RTE | TLE | HUNG | FORBIDDEN_OP
# tries: return into the zygote's loop
import os
import sys

os._exit = lambda status: None
sys.modules["child.protocol.stream"].Inbox.receive = lambda *args, **kwargs: None
