# over: solution.py
# verdict: WA grad
# group: sample
# en: The bias is a column of the weight: its gradient is the sum of the cotangent over the rows.
# zh: 偏置是权重的一列，它的梯度是上游梯度对各行之和。
@@
-        columns = (g_GNO.transpose(1, 2) @ x_GNI, g_GNO.sum(1)[..., None])
+        columns = (g_GNO.transpose(1, 2) @ x_GNI, 0 * g_GNO.sum(1)[..., None])
