# over: solution.py
# verdict: WA value
# group: scale
# en: A temperature may be as small as the distances between points: even a bound of 1e-4 keeps such slots soft.
# zh: 温度可以与各点距离之差一样小；即使下界只有 1e-4，这样的槽也不够尖锐。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    is_tensor = isinstance(temperature, Tensor)
+    temperature = temperature.clamp(min=1e-4) if is_tensor else max(temperature, 1e-4)
+    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
