# over: good/padded_columns.py
# verdict: WA value
# group: small
# en: One slice of the gradient is taken. An element used k times receives k gradients: sum them.
# zh: 只取了梯度的一个切片。一个元素被用了 k 次，就收到 k 份梯度，要求和。
@@ def unbroadcast
-    if dims:
-        grad = grad.sum(dims, keepdim=True)
+    for dim in dims:
+        grad = grad.narrow(dim, 0, 1)
