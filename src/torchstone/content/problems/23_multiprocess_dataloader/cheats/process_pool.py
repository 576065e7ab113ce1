# over: solution.py
# verdict: FORBIDDEN_OP
# group: value
# en: Lets a pool of processes do it.
# zh: 交给进程池去做。
@@
-        return self.in_workers(plan, key) if self.num_workers else map(self.load, plan)
+        return self.in_pool(plan) if self.num_workers else map(self.load, plan)
+
+    def in_pool(self, plan):
+        with multiprocessing.Pool(self.num_workers) as pool:
+            yield from pool.imap(self.load, plan)
