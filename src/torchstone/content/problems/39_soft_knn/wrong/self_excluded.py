# over: solution.py
# verdict: WA value
# group: edge
# en: A point that equals the query is a neighbour: who wants it excluded says so, or excludes by index.
# zh: 与 query 相同的点也是近邻；是否排除自身由调用者决定。
@@
-    anchors = d.topk(k, dim=-1, largest=False).values
+    d = d.masked_fill(d == 0, 1e10)
+    anchors = d.topk(k, dim=-1, largest=False).values
