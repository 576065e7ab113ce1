# over: solution.py
# verdict: WA value
# group: scale
# en: Looks for inf only. NaN is not inf: use isfinite.
# zh: 只检查 inf。NaN 不是 inf，要用 isfinite。
@@
-        self._bad[key] = not all(bool(torch.isfinite(grad).all()) for grad in grads)
+        self._bad[key] = any(bool(torch.isinf(grad).any()) for grad in grads)
