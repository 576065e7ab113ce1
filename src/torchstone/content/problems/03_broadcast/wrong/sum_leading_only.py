# over: good/padded_columns.py
# verdict: WA shape
# group: small
# en: Only the new leading dimensions are summed. Sum over the stretched ones, too.
# zh: 只对新增的前导维求和；被拉伸的维也要求和。
@@ def unbroadcast
-    stretched = [
-        i + num_new for i, n in enumerate(shape) if n == 1 and grad.shape[i + num_new] != 1
-    ]
-    dims = list(range(num_new)) + stretched
-    if dims:
-        grad = grad.sum(dims, keepdim=True)
-    return grad.reshape(shape)
+    if num_new:
+        grad = grad.sum(list(range(num_new)))
+    return grad
