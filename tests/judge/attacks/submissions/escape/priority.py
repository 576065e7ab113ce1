# outcome: RTE
# tries: get more of the machine than others
import os

for ask in (
    lambda: os.nice(-5),
    lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
    lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    lambda: os.sched_setaffinity(0, {0}),
):
    try:
        ask()
        break
    except OSError:
        continue
else:
    raise PermissionError("no privilege")
