# over: solution.py
# verdict: WA value
# group: sample
# en: Hard neighbours with the gradient of soft ones.
# zh: 硬近邻配上软近邻的梯度。
@@
-    anchors = d.topk(k, dim=-1, largest=False).values
+    anchors, indices = d.topk(k, dim=-1, largest=False)
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    hard = torch.zeros_like(gaps).scatter(-1, indices.unsqueeze(-1), 1.0)
+    weights = hard + weights - weights.detach()
