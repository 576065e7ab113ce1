# over: solution.py
# verdict: WA value
# group: sample
# en: Indices have no gradient; the choice itself must be smooth.
# zh: 索引没有梯度，选择本身要平滑。
@@
-    anchors = d.topk(k, dim=-1, largest=False).values
+    anchors, indices = d.topk(k, dim=-1, largest=False)
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    weights = torch.zeros_like(gaps).scatter(-1, indices.unsqueeze(-1), 1.0)
