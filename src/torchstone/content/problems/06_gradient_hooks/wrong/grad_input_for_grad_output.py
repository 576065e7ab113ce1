# over: good/running_maximum.py
# verdict: WA value
# group: sample
# en: grad_output is the gradient at the layer's output; grad_input of the first layer is None.
# zh: `grad_output` 才是对该层输出的梯度；第一层的 `grad_input` 是 None。
@@ def _record
-        for gradient in grad_output:
+        for gradient in grad_input:
