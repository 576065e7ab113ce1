# over: good/padded_columns.py
# verdict: WA value
# group: edge
# en: Dimensions are matched by their sizes, and equal sizes fool that: decide by the position from
#   the right.
# zh: 按大小匹配维度，遇到相等的大小就会认错；要按从右数的位置判断。
@@ def unbroadcast
-    num_new = grad.ndim - len(shape)
-    stretched = [
-        i + num_new for i, n in enumerate(shape) if n == 1 and grad.shape[i + num_new] != 1
-    ]
-    dims = list(range(num_new)) + stretched
+    wanted = [n for n in shape if n != 1]
+    dims = []
+    for dim, size in enumerate(grad.shape):
+        if wanted and size == wanted[0]:
+            wanted.pop(0)
+        else:
+            dims.append(dim)
