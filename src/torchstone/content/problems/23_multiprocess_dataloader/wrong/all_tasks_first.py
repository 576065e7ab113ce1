# over: good/queues.py
# verdict: WA property
# group: pressure
# en: Without a bound fast workers fill memory; send a new task only when a batch is given out.
# zh: 没有上限，快的 worker 会撑爆内存；每交出一批才派一个新任务。
@@
-        for _ in range(loader.num_workers * loader.depth):
+        for _ in batches:
