# over: solution.py
# verdict: WA property
# group: random
# en: The centre is uniform over all pixels and the box is clipped; moving it inside makes the
#  border rare.
# zh: 中心在所有像素上均匀抽取，框再被裁剪；若把框整个挪进图内，边缘就很少被覆盖。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-        cy = int(torch.randint(height, (), generator=generator))
-        cx = int(torch.randint(width, (), generator=generator))
+        r = 0.5 * math.sqrt(1 - lam)
+        hh, hw = int(r * height), int(r * width)
+        cy = hh + int(torch.randint(height - 2 * hh + 1, (), generator=generator))
+        cx = hw + int(torch.randint(width - 2 * hw + 1, (), generator=generator))
