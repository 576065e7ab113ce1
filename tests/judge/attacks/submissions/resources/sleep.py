# outcome: HUNG
# tries: sleep
import time

time.sleep(1000)
