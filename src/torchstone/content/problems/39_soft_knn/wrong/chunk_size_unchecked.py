# over: solution.py
# verdict: WA property
# group: edge
# en: chunk_size below 1 raises ValueError.
# zh: chunk_size 小于 1 时抛 ValueError。
@@
-    if chunk_size is not None and chunk_size < 1:
+    if chunk_size is not None and chunk_size > 10**9:
