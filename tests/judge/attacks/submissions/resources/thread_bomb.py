# outcome: RTE | MLE
# tries: start threads without end
import threading
import time

for _ in range(2000):
    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
