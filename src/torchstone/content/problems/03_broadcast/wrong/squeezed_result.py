# over: good/padded_columns.py
# verdict: WA shape
# group: small
# en: The sum drops dimensions of size 1. The gradient has the shape of the input, ones included.
# zh: 求和时把大小为 1 的维丢掉了；梯度的形状必须和输入完全一致，包括 1。
@@ def unbroadcast
-        grad = grad.sum(dims, keepdim=True)
-    return grad.reshape(shape)
+        grad = grad.sum(dims)
+    return grad
