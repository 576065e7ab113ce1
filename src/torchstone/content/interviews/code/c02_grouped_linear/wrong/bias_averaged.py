# over: solution.py
# verdict: WA grad
# group: sample
# en: Every row uses the bias once, so its gradient is a sum, not a mean.
# zh: 每一行都用了一次偏置，所以梯度是和，不是平均。
@@
-        columns = (g_GNO.transpose(1, 2) @ x_GNI, g_GNO.sum(1)[..., None])
+        count = max(g_GNO.shape[1], 1)
+        columns = (g_GNO.transpose(1, 2) @ x_GNI, g_GNO.sum(1)[..., None] / count)
