# over: solution.py
# verdict: WA value
# group: scale
# en: A sum in half ends at 65504 and has 11 bits; compute in float32 and round once at the end.
# zh: half 求和到 65504 就溢出，且只有 11 位精度；应在 float32 中计算，最后舍入一次。
@@ def prepare
-    scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
+    scores = x
