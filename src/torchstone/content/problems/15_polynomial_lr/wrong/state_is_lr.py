# over: solution.py
# verdict: WA value
# group: resume
# en: Only the rates were saved; without position, bases and arguments the schedule cannot go on.
# zh: 只保存了学习率；没有位置、基准与参数，就无法接着走。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        return {name: value for name, value in vars(self).items() if name != "optimizer"}
+        return {"_last_lr": self._last_lr}
