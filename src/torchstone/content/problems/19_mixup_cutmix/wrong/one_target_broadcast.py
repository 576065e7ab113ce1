# over: solution.py
# verdict: WA property
# group: errors
# en: A target with one row broadcasts over the whole batch and hides that labels are missing.
# zh: 只有一行的标签会广播到整个 batch，掩盖了标签缺失；应比较长度。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
     """Return a distribution over the classes for each image; labels become one-hot rows."""
+    if len(y) == 1:
+        y = y.expand(len(x), *y.shape[1:])
