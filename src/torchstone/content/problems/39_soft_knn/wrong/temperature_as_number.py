# over: solution.py
# verdict: WA grad
# group: sample
# en: A learned temperature needs its graph.
# zh: 可学习的温度需要保留计算图。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    weights = torch.softmax(-gaps / float(temperature), dim=-1)
