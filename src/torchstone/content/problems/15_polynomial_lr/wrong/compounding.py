# over: solution.py
# verdict: WA value
# group: sample
# en: The factor of t was applied to the previous rate; it belongs to the initial one.
# zh: 把 t 处的因子乘在了上一步的学习率上；它应乘在初始学习率上。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        self._last_lr = [self._rate(base) for base in self.base_lrs]
+        # The factor of this step times what is in the group now.
+        self._last_lr = [
+            self._rate(base) / base * float(group["lr"]) if base else self._rate(base)
+            for base, group in zip(self.base_lrs, self.optimizer.param_groups, strict=True)
+        ]
