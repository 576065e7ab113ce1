# over: solution.py
# verdict: WA value
# group: sample
# en: tau is positive already; an eps beside it changes every weight.
# zh: τ 本来就是正数；加上 eps 会改变每个权重。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    weights = torch.softmax(-gaps / (temperature + 1e-6), dim=-1)
