# over: solution.py
# verdict: WA value
# group: edit
# en: A rate that was changed by hand is scaled from then on; the next step must overwrite it.
# zh: 手动改过的学习率此后一直按比例保留；下一步就应把它覆盖。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        self._last_lr = [self._rate(base) for base in self.base_lrs]
+        new = [self._rate(base) for base in self.base_lrs]
+        old = getattr(self, "_last_lr", new)
+        rates = [float(group["lr"]) for group in self.optimizer.param_groups]
+        for index, (was, now) in enumerate(zip(old, rates, strict=True)):
+            # Keep the ratio of an edited rate to the schedule.
+            if old is not new and was and abs(now / was - 1) > 1e-6:
+                new[index] *= now / was
+        self._last_lr = new
