# over: solution.py
# verdict: WA value
# group: small
# en: Soft targets are distributions: taking the argmax throws away all classes but one.
# zh: 软标签是一个分布：取 argmax 就丢掉了其余所有类别。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    return y
+    return F.one_hot(y.argmax(1), num_classes).to(y.dtype).requires_grad_(y.requires_grad)
