# over: solution.py
# verdict: WA property
# group: edge
# en: values must be (*, M, C) with the leading dimensions and M of the points.
# zh: values 必须是 (*, M, C)，前导维与 M 和点相同。
@@
-    if values.shape[:-1] != points.shape[:-1]:
+    if values.ndim < 2:
