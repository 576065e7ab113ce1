# over: solution.py
# verdict: RTE
# group: small
# en: N = 0 is legal: without a chunk there is nothing to join.
# zh: N = 0 合法：一块都没有时，拼接会出错。
@@
-        for rows in query.split(chunk_size, dim=-2)
+        for at in range(0, query.shape[-2], chunk_size)
+        for rows in [query[..., at : at + chunk_size, :]]
