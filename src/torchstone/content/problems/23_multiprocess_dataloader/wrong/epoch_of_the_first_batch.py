# over: solution.py
# verdict: WA property
# group: shuffle
# en: A generator function runs nothing before its first batch is asked for; the epoch is that of
#     iter().
# zh: 生成器函数要到取第一批时才开始运行；轮次应在 iter() 时就定下。
@@
-        # Both are fixed now, not when the first batch is asked for.
         plan, key = self.plan(), f"{self.seed} {self.epoch}"
-        return self.in_workers(plan, key) if self.num_workers else map(self.load, plan)
+        yield from self.in_workers(plan, key) if self.num_workers else map(self.load, plan)
