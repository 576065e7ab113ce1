# over: solution.py
# verdict: WA property
# group: process
# en: Loads everything in the parent.
# zh: 全部在父进程里加载。
@@
-        return self.in_workers(plan, key) if self.num_workers else map(self.load, plan)
+        return map(self.load, plan)
