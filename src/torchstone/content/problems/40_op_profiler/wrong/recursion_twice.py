# over: solution.py
# verdict: WA property
# group: edge
# en: The total of a layer that calls itself is counted at each depth. Only the outermost call adds to it.
# zh: 自我调用的层，总时间在每一层递归都计了一次。只有最外层调用计入。
@@
-    if not any(each is row for each in callers):
-        row.total_us += duration
+    row.total_us += duration
