# over: solution.py
# verdict: WA value
# group: small
# en: Only the first group gets a new rate; every group has a base of its own.
# zh: 只更新了第一个组；每个参数组都有自己的基准。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        # Not a list of groups kept from before: loading a state puts new dicts in their place.
-        for group, lr in zip(self.optimizer.param_groups, self._last_lr, strict=True):
-            if isinstance(group["lr"], Tensor):
-                group["lr"].fill_(lr)
-            else:
-                group["lr"] = lr
+        group, lr = self.optimizer.param_groups[0], self._last_lr[0]
+        if isinstance(group["lr"], Tensor):
+            group["lr"].fill_(lr)
+        else:
+            group["lr"] = lr
