# over: solution.py
# verdict: WA value
# group: scale
# en: A small temperature is legal: a bound below it keeps slots soft.
# zh: 温度可以很小；给它设下界，槽就变不尖锐。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    is_tensor = isinstance(temperature, Tensor)
+    temperature = temperature.clamp(min=0.05) if is_tensor else max(temperature, 0.05)
+    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
