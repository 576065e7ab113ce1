# over: solution.py
# verdict: WA dtype
# group: dtype
# en: Soft targets keep their own dtype; cast to that of the images they lose digits.
# zh: 软标签保持自己的类型；若转换成图像的类型，就会丢失精度。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    return y
+    return y.to(x.dtype) if x.is_floating_point() else y
