# over: solution.py
# verdict: WA value
# group: small
# en: The softmin normalises over all M: chunk the queries, or keep running sums.
# zh: 归一化覆盖全部 M：应切分 query，或累积部分和。
@@
-    parts = [
-        # Only the inputs of a chunk are kept; backward computes the rest again.
-        checkpoint(
-            lambda *inputs: select(*inputs)[:2],
-            *(rows, points, values, temperature, k),
-            use_reentrant=False,
-            preserve_rng_state=False,
-        )
-        for rows in query.split(chunk_size, dim=-2)
-    ]
-    neighbors = torch.cat([part[0] for part in parts], dim=-3)
-    distances = torch.cat([part[1] for part in parts], dim=-2)
-    return SoftKNN(neighbors, distances, None)
+    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)
+    anchors = d.topk(k, dim=-1, largest=False).values
+    parts = []
+    for near, some in zip(d.split(chunk_size, -1), values.split(chunk_size, -2), strict=True):
+        gaps = (anchors.unsqueeze(-1) - near.unsqueeze(-2)).abs()
+        weights = torch.softmax(-gaps / temperature, dim=-1)
+        neighbors = torch.einsum("...nkm,...mc->...nkc", weights, some)
+        parts.append((neighbors, (weights * near.unsqueeze(-2)).sum(-1)))
+    neighbors = torch.stack([part[0] for part in parts]).mean(0)
+    return SoftKNN(neighbors, torch.stack([part[1] for part in parts]).mean(0), None)
