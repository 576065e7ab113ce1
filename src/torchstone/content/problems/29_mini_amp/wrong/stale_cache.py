# over: solution.py
# verdict: WA value
# group: cache
# en: Keeps copies beyond the region, so after optimizer.step the old one is used. The cache
#     goes with the region.
# zh: 副本留到区域之外，优化器更新后用的还是旧值。缓存要随区域清空。
@@
-            local.copies.clear()
@@
-    if version != x._version:
+    if version is None:
