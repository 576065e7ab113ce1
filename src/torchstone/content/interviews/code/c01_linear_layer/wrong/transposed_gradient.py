# over: solution.py
# verdict: WA grad
# group: small
# en: weight is (out, in), so its gradient is gᵀx; transposing until the shape fits is wrong for a
#   square layer.
# zh: 权重形状是 (out, in)，梯度是 gᵀx；靠转置凑形状，遇到方阵就错了。
@@
-        grad_weight = rows.T @ x.reshape(-1, weight.shape[1])
+        grad_weight = x.reshape(-1, weight.shape[1]).T @ rows
+        if grad_weight.shape != weight.shape:
+            grad_weight = grad_weight.T
