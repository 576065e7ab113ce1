# over: solution.py
# verdict: WA property
# group: errors
# en: The arguments were checked after the groups had been written.
# zh: 先写了参数组，之后才检查参数。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        if total_iters <= 0 or power < 0 or end_lr < 0 or not 0 <= warmup_iters < total_iters:
-            raise ValueError("need total_iters > warmup_iters >= 0, power >= 0 and end_lr >= 0")
@@
             group.setdefault("initial_lr", lr.clone() if isinstance(lr, Tensor) else lr)
+        if total_iters <= 0 or power < 0 or end_lr < 0 or not 0 <= warmup_iters < total_iters:
+            raise ValueError("need total_iters > warmup_iters >= 0, power >= 0 and end_lr >= 0")
