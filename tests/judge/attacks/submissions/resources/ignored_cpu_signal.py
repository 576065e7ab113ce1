# outcome: TLE
# tries: ignore the signal of the CPU limit
import signal

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        continue
while True:
    pass
