# over: solution.py
# verdict: WA value
# group: sample
# en: float64 inputs are computed in float64.
# zh: float64 输入要用 float64 计算。
@@
-    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)  # (*, N, M)
+    single, dtype = torch.float32, query.dtype
+    d = (query.to(single).unsqueeze(-2) - points.to(single).unsqueeze(-3)).square().sum(-1).to(dtype)
