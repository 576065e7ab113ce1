# over: solution.py
# verdict: WA property
# group: depth
# en: depth batches must be in flight, not one.
# zh: 应有 depth 批在途，而不是一批。
@@
-        while len(ready) <= depth and not is_over:
+        while len(ready) <= 1 and not is_over:
