# over: solution.py
# verdict: FORBIDDEN_OP
# group: value
# en: Lets an executor of processes do it.
# zh: 交给进程池执行器去做。
@@
+import concurrent.futures
 import contextlib
@@
-        return self.in_workers(plan, key) if self.num_workers else map(self.load, plan)
+        return self.in_pool(plan) if self.num_workers else map(self.load, plan)
+
+    def in_pool(self, plan):
+        with concurrent.futures.ProcessPoolExecutor(self.num_workers) as pool:
+            yield from pool.map(self.load, plan)
