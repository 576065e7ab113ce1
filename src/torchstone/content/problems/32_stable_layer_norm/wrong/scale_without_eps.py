# over: solution.py
# verdict: WA value
# group: scale
# en: Rescaling a row rescales its variance; eps must follow as eps / s².
# zh: 一行除以 s，方差就除以 s²；eps 也要跟着除以 s²。
@@
-    size = size.clamp(min=root)
-    size = size.masked_fill(size == 0, 1.0)
+    is_tame = (size == 0) | ((size > 1e-12) & (size < 1e12))
+    size = size.masked_fill(is_tame, 1.0)
@@
-    variance = scaled.square().mean(-1, keepdim=True) + (root / size).square()
+    variance = scaled.square().mean(-1, keepdim=True) + eps
