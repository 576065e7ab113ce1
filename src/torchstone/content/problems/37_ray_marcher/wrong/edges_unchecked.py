# over: solution.py
# verdict: WA property
# group: small
# en: Edges are one more than weights, or ValueError.
# zh: 边比权重多一个，否则抛 ValueError。
@@
-    if edges.shape != (num_rays, num_bins + 1):
+    if edges.shape[0] != num_rays or edges.shape[1] < num_bins + 1:
