# over: solution.py
# verdict: WA property
# group: concurrency
# en: The call ends its threads: an executor that lives on keeps them.
# zh: 调用结束时线程也要结束；一直保留的线程池会留下线程。
@@
-import threading
+from concurrent.futures import ThreadPoolExecutor, wait
@@
 from torch import nn
+
+POOL = ThreadPoolExecutor(8)
@@
-    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(replicas))]
-    for thread in threads:
-        thread.start()
-    for thread in threads:
-        thread.join()
+    wait([POOL.submit(work, number) for number in range(len(replicas))])
