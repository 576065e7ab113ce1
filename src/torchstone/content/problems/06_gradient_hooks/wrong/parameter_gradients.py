# over: good/running_maximum.py
# verdict: WA value
# group: sample
# en: Activations have no parameters but do have gradients; and .grad accumulates.
# zh: 激活层没有参数也有梯度，而且 `.grad` 会累加。
@@ def _record
-        for gradient in grad_output:
+        for gradient in (p.grad for p in module.parameters()):
