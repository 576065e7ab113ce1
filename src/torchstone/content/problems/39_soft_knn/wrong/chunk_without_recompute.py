# over: solution.py
# verdict: WA property
# group: perf
# en: Chunking lowers the peak only if backward recomputes.
# zh: 不在反向中重算，分块就省不下内存。
@@
-        # Only the inputs of a chunk are kept; backward computes the rest again.
-        checkpoint(
-            lambda *inputs: select(*inputs)[:2],
-            *(rows, points, values, temperature, k),
-            use_reentrant=False,
-            preserve_rng_state=False,
-        )
+        select(rows, points, values, temperature, k)[:2]
         for rows in query.split(chunk_size, dim=-2)
