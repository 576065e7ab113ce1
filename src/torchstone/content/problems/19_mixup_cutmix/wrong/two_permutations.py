# over: solution.py
# verdict: WA property
# group: random
# en: The image and its label need the same partner: draw one permutation and use it for both.
# zh: 图像和标签的搭档必须相同：只抽一个排列，两处共用。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
         perm = torch.randperm(len(x), generator=generator)
+        of_labels = torch.randperm(len(x), generator=generator)
@@
-            return mixup(x, y, lam, perm, num_classes=self.num_classes)
+            images, _ = mixup(x, y, lam, perm, num_classes=self.num_classes)
+            _, targets = mixup(x, y, lam, of_labels, num_classes=self.num_classes)
+            return images, targets
@@
-        return cutmix(x, y, box, perm, num_classes=self.num_classes)
+        images, _ = cutmix(x, y, box, perm, num_classes=self.num_classes)
+        _, targets = cutmix(x, y, box, of_labels, num_classes=self.num_classes)
+        return images, targets
