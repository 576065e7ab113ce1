# over: solution.py
# verdict: WA property
# group: perf
# en: The matrix of all distances is computed before the chunks: it is as large as without them.
# zh: 先算全部距离再分块：矩阵与不分块时一样大。
@@
-    parts = [
+    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)
+    anchors = d.topk(k, dim=-1, largest=False).values
+    parts = [
@@
-            lambda *inputs: select(*inputs)[:2],
-            *(rows, points, values, temperature, k),
+            lambda d, anchors: slots(d, anchors, values, temperature),
+            *rows,
             use_reentrant=False,
@@
-        for rows in query.split(chunk_size, dim=-2)
+        for rows in zip(d.split(chunk_size, -2), anchors.split(chunk_size, -2), strict=True)
@@
     return SoftKNN(neighbors, distances, None)
+
+
+def slots(d, anchors, values, temperature):
+    gaps = (anchors.unsqueeze(-1) - d.unsqueeze(-2)).abs()
+    w = torch.softmax(-gaps / temperature, dim=-1)
+    return torch.einsum("...nkm,...mc->...nkc", w, values), (w * d.unsqueeze(-2)).sum(-1)
