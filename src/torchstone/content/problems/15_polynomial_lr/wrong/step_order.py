# over: solution.py
# verdict: WA value
# group: sample
# en: All is one step late: the first step() repeats the rate of t = 0.
# zh: 整体晚了一步：构造时已给出 t = 0 的学习率，第一次 step() 又给了一遍。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        self.step()
+        self._last_lr = [float(group["lr"]) for group in groups]
