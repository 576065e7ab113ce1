# over: solution.py
# verdict: RTE
# group: small
# en: chunk_size counts queries, which are the dimension -2, not the first one.
# zh: chunk_size 按 query 计数，query 在第 −2 维，不是第 0 维。
@@
-        for rows in query.split(chunk_size, dim=-2)
+        for rows in query.split(chunk_size)
@@
-    neighbors = torch.cat([part[0] for part in parts], dim=-3)
-    distances = torch.cat([part[1] for part in parts], dim=-2)
+    neighbors = torch.cat([part[0] for part in parts])
+    distances = torch.cat([part[1] for part in parts])
