# over: solution.py
# verdict: WA value
# group: small
# en: float64 has to be computed in float64; a fixed .float() throws half of the digits away.
# zh: float64 必须在 float64 中计算；一律 .float() 会丢掉一半的有效数字。
@@ def prepare
-    scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
+    scores = x.float()
