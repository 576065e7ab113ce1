# outcome: HUNG
# tries: stop, so that no clock of its own runs
import os
import signal
import time

os.kill(os.getpid(), signal.SIGSTOP)
while True:
    time.sleep(1)
