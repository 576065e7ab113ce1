# over: solution.py
# verdict: WA property
# group: random
# en: A clipped box pastes less than 1 - lam: take the weight from the area, not from the draw.
# zh: 框被边界裁剪后，粘贴的面积小于 1 − lam：权重应取自面积，而不是抽到的 lam。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-        return cutmix(x, y, box, perm, num_classes=self.num_classes)
+        images, _ = cutmix(x, y, box, perm, num_classes=self.num_classes)
+        return images, blend(soft_targets(x, y, self.num_classes), lam, perm)
