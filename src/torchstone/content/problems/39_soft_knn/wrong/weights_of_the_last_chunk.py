# over: solution.py
# verdict: WA shape
# group: small
# en: With weights and chunks, the weights of every query are asked for.
# zh: 同时要求权重与分块时，每个 query 的权重都要返回。
@@
-    if return_weights:
+    if return_weights and chunk_size is None:
@@
-    return SoftKNN(neighbors, distances, None)
+    weights = select(rows_of(query, chunk_size), points, values, temperature, k).weights
+    return SoftKNN(neighbors, distances, weights if return_weights else None)
+
+
+def rows_of(query, chunk_size):
+    return query.split(chunk_size, dim=-2)[-1]
