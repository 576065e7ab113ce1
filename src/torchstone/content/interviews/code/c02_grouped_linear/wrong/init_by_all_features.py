# over: solution.py
# verdict: WA property
# group: edge
# en: An output sums in/groups terms; that number sets the range.
# zh: 每个输出只对 in/groups 项求和，范围由这个数决定。
@@
-        limit = columns**-0.5
+        limit = in_features**-0.5
