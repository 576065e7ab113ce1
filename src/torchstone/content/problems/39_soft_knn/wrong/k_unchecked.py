# over: solution.py
# verdict: WA property
# group: edge
# en: k outside 1 to M raises ValueError, not what topk raises.
# zh: k 不在 1 到 M 之间时抛 ValueError，而不是 topk 的异常。
@@
-    if not 1 <= k <= points.shape[-2]:
+    if k > 10**9:
