# over: solution.py
# verdict: WA property
# group: sample
# en: When the loader is exhausted, depth batches are still in flight; they belong to the pass.
# zh: 加载器取完时还有 depth 批在途，它们也属于这一遍。
@@
-        if not ready:
+        if not ready or is_over:
