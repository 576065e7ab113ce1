# outcome: TLE
# tries: sleep
import time

time.sleep(1000)
