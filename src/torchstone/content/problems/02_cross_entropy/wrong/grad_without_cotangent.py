# over: good/log_softmax_helper.py
# verdict: WA grad
# group: sample
# en: backward receives dL/dloss as grad_output; the gradient must be multiplied by it.
# zh: backward 收到的 grad_output 是上游梯度 dL/dloss，结果必须乘上它。
@@ def backward
-        grad = grad * grad_output.reshape(-1, 1)
