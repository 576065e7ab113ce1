# over: good/log_softmax_helper.py
# verdict: RTE | WA grad
# group: small
# en: With reduction="none" each row has its own cotangent; unsqueeze it on the class dimension, or
#   broadcasting lines it up with the classes.
# zh: reduction="none" 时每行有自己的上游梯度，要在类别维上 unsqueeze；否则广播会把它对到类别上。
@@ def backward
-        grad = grad * grad_output.reshape(-1, 1)
@@ def backward
-        return from_rows(grad, logits), None, None, None, None
+        return from_rows(grad, logits) * grad_output, None, None, None, None
