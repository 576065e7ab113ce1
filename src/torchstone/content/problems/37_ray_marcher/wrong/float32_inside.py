# over: solution.py
# verdict: WA value
# group: scale
# en: float64 that passes through float32 keeps half of its digits.
# zh: float64 经过 float32 只剩一半的有效数字。
@@
-    total = F.pad(tau.cumsum(-1), (1, 0))
+    total = F.pad(tau.float().cumsum(-1), (1, 0)).to(t.dtype)
