# over: solution.py
# verdict: WA property
# group: edge
# en: An output sums in_features terms, so in_features sets the range, not out_features.
# zh: 每个输出是 in_features 项之和，所以范围由 in_features 决定，而不是 out_features。
@@
-        limit = 1 / math.sqrt(in_features)
+        limit = 1 / math.sqrt(out_features)
