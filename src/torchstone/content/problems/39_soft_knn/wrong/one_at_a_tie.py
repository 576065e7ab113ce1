# over: solution.py
# verdict: WA value
# group: scale
# en: At a tie the weight is shared, however small the temperature.
# zh: 等距时，无论温度多小，权重都要均分。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    if temperature < 1e-5:
+        weights = torch.zeros_like(gaps).scatter(-1, gaps.argmin(-1, keepdim=True), 1.0)
