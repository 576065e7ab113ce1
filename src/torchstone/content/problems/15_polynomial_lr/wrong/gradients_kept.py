# over: solution.py
# verdict: WA value
# group: sample
# en: The scheduler replaced the optimizer's `zero_grad`, so gradients of earlier steps are added up.
# zh: 调度器替换了优化器的 `zero_grad`，以前各步的梯度不断累加。
@@
         self.optimizer = optimizer
+        optimizer.zero_grad = lambda set_to_none=True: None
         self.total_iters, self.warmup_iters = total_iters, warmup_iters
