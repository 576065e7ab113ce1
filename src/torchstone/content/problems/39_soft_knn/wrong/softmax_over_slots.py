# over: solution.py
# verdict: WA value
# group: sample
# en: The weights of a slot add up to 1 over the points, not over the slots.
# zh: 每个槽的权重在点上求和为 1，而不是在槽上。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    weights = torch.softmax(-gaps / temperature, dim=-2)
