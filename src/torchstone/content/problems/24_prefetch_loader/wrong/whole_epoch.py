# over: solution.py
# verdict: WA property
# group: depth
# en: Device memory holds depth + 1 batches, not the epoch.
# zh: 显存只应放 depth + 1 批，而不是整个 epoch。
@@
-        while len(ready) <= depth and not is_over:
+        while not is_over:
