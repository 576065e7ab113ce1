# over: solution.py
# verdict: WA property
# group: random
# en: A batch that is left alone is returned as a copy, or a later step in place changes the
#  caller's images.
# zh: 不混合时也要返回副本，否则之后的原地操作会改到调用者的图像。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-            return x.clone(), soft_targets(x, y, self.num_classes).clone()
+            return x, soft_targets(x, y, self.num_classes).clone()
