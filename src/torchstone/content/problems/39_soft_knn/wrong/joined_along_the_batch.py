# over: solution.py
# verdict: RTE
# group: small
# en: Chunks of queries are joined along the queries, not along the first dimension.
# zh: 各块应沿 query 维拼接，而不是沿第 0 维。
@@
-    neighbors = torch.cat([part[0] for part in parts], dim=-3)
-    distances = torch.cat([part[1] for part in parts], dim=-2)
+    neighbors = torch.cat([part[0] for part in parts])
+    distances = torch.cat([part[1] for part in parts])
