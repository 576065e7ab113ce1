# over: solution.py
# verdict: WA value
# group: sample
# en: Each slot needs its own anchor d_(j).
# zh: 每个槽要有自己的锚点 d_(j)。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    weights = torch.softmax(-d / temperature, dim=-1).unsqueeze(-2).expand(gaps.shape)
