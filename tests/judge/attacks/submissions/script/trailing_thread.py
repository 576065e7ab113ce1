# outcome: TLE | HUNG | RTE | WA
# tries: keep the folder busy after the answer
# problem: 99
import os
import threading
import time


def flood():
    while True:
        os.write(1, b"x" * 512)
        time.sleep(0.001)


threading.Thread(target=flood, daemon=True).start()
answer = 0
