# over: good/log_softmax_helper.py
# verdict: WA grad
# group: sample
# en: p - q is already the gradient with respect to the logits; the softmax Jacobian is in it.
# zh: p - q 已经是对 logits 的梯度，softmax 的雅可比矩阵已包含在内，不要再乘一次。
@@ def backward
         grad = (p - q) * keep[:, None]
+        grad = p * (grad - (p * grad).sum(1, keepdim=True))
