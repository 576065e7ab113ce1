# over: solution.py
# verdict: WA property
# group: resume
# en: The state holds the optimizer, so it cannot be written as plain data.
# zh: 状态里带着优化器，无法写成普通数据。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        return {name: value for name, value in vars(self).items() if name != "optimizer"}
+        return dict(vars(self))
