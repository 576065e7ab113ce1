# over: solution.py
# verdict: WA property
# group: edge
# en: An infinite entry has a sign: clipped it is a usable direction.
# zh: 无穷大的元素有符号：裁剪之后仍是可用的方向。
@@
-        if any(bool(gradient.isnan().any()) for gradient in gradients):
+        if not all(bool(gradient.isfinite().all()) for gradient in gradients):
