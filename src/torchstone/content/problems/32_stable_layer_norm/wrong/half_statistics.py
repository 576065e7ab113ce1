# over: solution.py
# verdict: WA value
# group: scale
# en: A sum in half overflows at 65504 and keeps 11 bits; widen before the first sum.
# zh: 半精度求和超过 65504 就溢出，而且只有 11 位有效数字；求和之前先升精度。
@@
-    wide = torch.promote_types(x.dtype, torch.float32)
+    wide = x.dtype
