# over: solution.py
# verdict: WA shape
# group: small
# en: The last chunk is shorter, and not to be dropped.
# zh: 最后一块更短，不能丢掉。
@@
-        for rows in query.split(chunk_size, dim=-2)
+        for rows in query[..., : query.shape[-2] // chunk_size * chunk_size, :].split(chunk_size, -2)
