# over: solution.py
# verdict: WA grad
# group: small
# en: The weight is (G, O, I), so its gradient is gᵀx in each group; fitting the shape fails for a square one.
# zh: 权重是 (G, O, I)，每组的梯度是 gᵀx；靠凑形状，遇到方阵就错。
@@
-        columns = (g_GNO.transpose(1, 2) @ x_GNI, g_GNO.sum(1)[..., None])
+        matrix = x_GNI.transpose(1, 2) @ g_GNO
+        if matrix.shape[1:] != weight[0, :, :-1].shape:
+            matrix = matrix.transpose(1, 2)
+        columns = (matrix, g_GNO.sum(1)[..., None])
