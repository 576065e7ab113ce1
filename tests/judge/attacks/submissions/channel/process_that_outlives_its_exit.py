# outcome: RTE | HUNG
# tries: survive the end of the driver
import os
import sys
import time

os._exit = lambda status: time.sleep(1000)
sys.modules["child.protocol.stream"].Inbox.receive = lambda *args, **kwargs: None
