# over: solution.py
# verdict: WA property
# group: process
# en: Loads in threads of the parent.
# zh: 在父进程的线程里加载。
@@
+import concurrent.futures
 import contextlib
@@
-        return self.in_workers(plan, key) if self.num_workers else map(self.load, plan)
+        return self.in_threads(plan) if self.num_workers else map(self.load, plan)
+
+    def in_threads(self, plan):
+        with concurrent.futures.ThreadPoolExecutor(self.num_workers) as pool:
+            yield from pool.map(self.load, plan)
