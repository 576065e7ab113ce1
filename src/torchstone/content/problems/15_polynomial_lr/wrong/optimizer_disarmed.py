# over: solution.py
# verdict: WA value
# group: sample
# en: The scheduler replaced the optimizer's `step`, so the loop no longer trains.
# zh: 调度器替换了优化器的 `step`，训练循环不再更新参数。
@@
         self.optimizer = optimizer
+        optimizer.step = lambda closure=None: None
         self.total_iters, self.warmup_iters = total_iters, warmup_iters
