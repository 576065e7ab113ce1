# over: solution.py
# verdict: WA property
# group: sample
# en: Each worker has its own copy of an iterable dataset; without get_worker_info every item
#   comes W times.
# zh: 每个 worker 都有一份副本；不看 get_worker_info，每个样本会出现 W 次。
@@
-        info = get_worker_info()
-        worker, num_workers = (info.id, info.num_workers) if info else (0, 1)
+        worker, num_workers = 0, 1
