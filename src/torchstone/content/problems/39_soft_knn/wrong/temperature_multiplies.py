# over: solution.py
# verdict: WA value
# group: sample
# en: A small temperature must sharpen the weights: divide by it.
# zh: 温度越小权重应越尖锐：应除以温度。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    weights = torch.softmax(-gaps * temperature, dim=-1)
