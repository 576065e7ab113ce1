# over: solution.py
# verdict: WA property
# group: random
# en: The wrapper returns every batch as it is.
# zh: 包装器原样返回每个 batch，从不混合。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-        if applied >= self.prob or self.mixup_alpha == self.cutmix_alpha == 0:
+        if applied < 2:
