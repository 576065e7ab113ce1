# over: solution.py
# verdict: WA value
# group: sample
# en: Entries below -max_value are too large as well.
# zh: 小于 -max_value 的元素同样太大。
@@
-            torch.nn.utils.clip_grad_value_(parameters, max_value)
+            for gradient in gradients:
+                gradient.clamp_(max=max_value)
