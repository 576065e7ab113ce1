# over: solution.py
# verdict: WA value
# group: dtype
# en: In half precision the two products and the sum round, or the difference overflows: blend in
#  float32, round once.
# zh: 半精度下两个乘积与求和都会舍入，相减还可能溢出：应在 float32 中混合，最后只舍入一次。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    wide = a.float() if a.dtype in (torch.float16, torch.bfloat16) else a
+    wide = a
@@
-        lam = lam.reshape(-1, *[1] * (a.ndim - 1))
+        lam = lam.reshape(-1, *[1] * (a.ndim - 1)).to(a.dtype)
