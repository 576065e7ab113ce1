# over: good/log_softmax_helper.py
# verdict: WA grad
# group: small
# en: The loss of an ignored row is masked, its gradient is not. A row that does not count must not
#   pull.
# zh: 只屏蔽了被忽略行的损失，没有屏蔽它的梯度；被忽略的行梯度必须为零。
@@ def backward
-        grad = (p - q) * keep[:, None]
+        grad = torch.where(keep[:, None], p - q, p - label_smoothing / p.shape[1])
