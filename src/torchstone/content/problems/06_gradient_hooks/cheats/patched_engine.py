# over: good/full_backward_hook.py
# verdict: WA property
# en: Wraps torch.autograd.backward and grad for the whole process.
# zh: 为整个进程包装 `torch.autograd.backward` 和 `grad`。
@@
 from torch import nn
+
+
+def _wrapped(function):
+    return lambda *args, **kwargs: function(*args, **kwargs)
+
+
+torch.autograd.backward = _wrapped(torch.autograd.backward)
+torch.autograd.grad = _wrapped(torch.autograd.grad)
