# over: solution.py
# verdict: WA value
# group: scale
# en: Compares with the largest value: -inf passes, and so does NaN.
# zh: 只与最大值比较：-inf 与 NaN 都漏过了。
@@
-        self._bad[key] = not all(bool(torch.isfinite(grad).all()) for grad in grads)
+        self._bad[key] = any(bool((grad > 1e30).any()) for grad in grads)
