# over: solution.py
# verdict: WA property
# group: concurrent
# en: The loader holds the processes of one pass only; a second pass ends the first.
# zh: 加载器只存一遍的进程；第二遍一开始，第一遍就断了。
@@
         self.timeout, self.worker_init_fn = timeout, worker_init_fn
+        self.running = None
@@
         plan, key = self.plan(), f"{self.seed} {self.epoch}"
-        return self.in_workers(plan, key) if self.num_workers else map(self.load, plan)
+        if self.running is not None:
+            self.running.close()
+        self.running = self.in_workers(plan, key) if self.num_workers else None
+        return self.running or map(self.load, plan)
