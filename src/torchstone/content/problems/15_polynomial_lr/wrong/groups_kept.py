# over: solution.py
# verdict: WA value
# group: resume
# en: The groups were kept from the start, but loading a state puts new ones into the optimizer.
# zh: 一直拿着最初的参数组，而优化器载入状态后换成了新的参数组。
@@
 from torch import Tensor

+OTHERS = ("optimizer", "groups")
+
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        self.optimizer = optimizer
+        self.optimizer, self.groups = optimizer, groups
@@
-        # Not a list of groups kept from before: loading a state puts new dicts in their place.
-        for group, lr in zip(self.optimizer.param_groups, self._last_lr, strict=True):
+        for group, lr in zip(self.groups, self._last_lr, strict=True):
@@
-        return {name: value for name, value in vars(self).items() if name != "optimizer"}
+        return {name: value for name, value in vars(self).items() if name not in OTHERS}
