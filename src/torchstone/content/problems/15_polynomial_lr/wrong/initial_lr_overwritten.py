# over: solution.py
# verdict: WA value
# group: edge
# en: The current rate overwrote an initial_lr that the group had already.
# zh: 组里已有的 initial_lr 被当前学习率覆盖了。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-            group.setdefault("initial_lr", lr.clone() if isinstance(lr, Tensor) else lr)
+            if last_epoch < 0:
+                group["initial_lr"] = lr.clone() if isinstance(lr, Tensor) else lr
