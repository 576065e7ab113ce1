# over: solution.py
# verdict: WA property
# group: process
# en: A pass has num_workers processes, also where it has fewer batches.
# zh: 批次比 worker 少时，一遍也有 num_workers 个进程。
@@
-            for worker in range(self.num_workers):
+            for worker in range(min(self.num_workers, len(plan))):
