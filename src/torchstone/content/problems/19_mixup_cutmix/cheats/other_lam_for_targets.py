# over: solution.py
# verdict: WA property
# group: random
# en: Targets are mixed by another lam than images.
# zh: 标签用的 lam 与图像的不同。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-            return mixup(x, y, lam, perm, num_classes=self.num_classes)
+            images, _ = mixup(x, y, lam, perm, num_classes=self.num_classes)
+            lam = draw_beta(self.mixup_alpha, generator)
+            return images, mixup(x, y, lam, perm, num_classes=self.num_classes)[1]
