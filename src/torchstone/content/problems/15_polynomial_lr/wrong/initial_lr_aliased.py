# over: solution.py
# verdict: WA property
# group: tensor
# en: initial_lr is the tensor of the rate itself, so the base falls with it.
# zh: initial_lr 就是学习率那个张量本身，于是基准随之下降。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-            group.setdefault("initial_lr", lr.clone() if isinstance(lr, Tensor) else lr)
+            group.setdefault("initial_lr", lr)
@@
-        self.base_lrs = [float(group["initial_lr"]) for group in groups]
+        self.base_lrs = [group["initial_lr"] for group in groups]
@@
-        self._last_lr = [self._rate(base) for base in self.base_lrs]
+        self._last_lr = [self._rate(float(base)) for base in self.base_lrs]
