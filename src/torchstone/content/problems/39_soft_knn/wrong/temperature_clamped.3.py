# over: solution.py
# verdict: WA value
# group: scale
# en: Distances may be large and differ by little: a bound of the temperature that grows with them keeps slots soft.
# zh: 距离可以很大而彼此相差很小；温度下界若随距离增大，槽就不够尖锐。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    least = d.detach().amax(-1)[..., None, None] * 1e-5
+    weights = torch.softmax(-gaps / torch.clamp(least, min=temperature), dim=-1)
