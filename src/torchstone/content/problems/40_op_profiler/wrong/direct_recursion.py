# over: solution.py
# verdict: WA property
# group: edge
# en: Recursion through a child: the total counts the layer once for each depth.
# zh: 经过子层的递归：总时间在每一层深度都被算了一次。
@@
-    if not any(each is row for each in callers):
+    if not (callers and callers[-1] is row):
