# outcome: RTE | TLE | HUNG
# tries: interrupt the driver with signals of its own
import signal


def stop(*_):
    raise KeyboardInterrupt


signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
