# over: good/autograd_backward.py
# verdict: WA value
# group: sample
# en: `.grad` is never cleared, so every step adds all earlier gradients.
# zh: 从不清空 `.grad`，每一步都加上了以前的全部梯度。
@@
-                    p.grad = None
