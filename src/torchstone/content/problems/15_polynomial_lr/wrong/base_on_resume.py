# over: solution.py
# verdict: WA value
# group: resume
# en: The lowered rate that was loaded became the new base; initial_lr is the base.
# zh: 把载入的、已衰减的学习率当成了新的基准；基准是 initial_lr。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        self.base_lrs = [float(group["initial_lr"]) for group in groups]
+        key = "initial_lr" if last_epoch < 0 else "lr"
+        self.base_lrs = [float(group[key]) for group in groups]
