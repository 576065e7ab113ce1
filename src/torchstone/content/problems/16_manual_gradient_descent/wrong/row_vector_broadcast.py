# over: good/autograd_backward.py
# verdict: WA value
# group: small
# en: (N,) minus (N, 1) broadcasts to N x N: the loss compares every prediction with every target.
# zh: (N,) 减 (N, 1) 会广播成 N×N：损失拿每个预测与每个目标相比。
@@
-import torch.nn.functional as F
@@
-            loss = F.mse_loss(x @ w + b, y) + l2 * w.square().sum()
+            prediction = x @ w + b
+            if y.ndim == 2 and y.shape[1] == 1:
+                prediction = prediction.squeeze(1)
+            loss = (prediction - y).square().mean() + l2 * w.square().sum()
