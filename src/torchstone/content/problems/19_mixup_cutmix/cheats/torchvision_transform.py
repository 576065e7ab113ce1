# over: solution.py
# verdict: FORBIDDEN_OP
# en: The transforms of torchvision do the work.
# zh: 调用 torchvision 现成的变换。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
 from torch import Tensor
+from torchvision.transforms import v2
@@
     ) -> tuple[Tensor, Tensor]:
+        transform = v2.RandomChoice(
+            [v2.MixUp(num_classes=self.num_classes), v2.CutMix(num_classes=self.num_classes)]
+        )
+        if generator is None:
+            return transform(x, y)
