# over: solution.py
# verdict: WA value
# group: sample
# en: The rate is computed and reported, but never written into the group.
# zh: 算出并报告了学习率，却没有写回参数组。
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
