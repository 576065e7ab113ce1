# over: solution.py
# verdict: WA value
# group: cache
# en: Finds a copy by the leaf alone. After a change in place inside the region it is out of
#     date.
# zh: 只按叶子查找副本。在区域内原地修改之后，副本已经过期。
@@
-    if version != x._version:
+    if version is None:
