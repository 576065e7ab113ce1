# over: solution.py
# verdict: RTE
# group: layout
# en: view needs strides that fit; flatten and reshape copy where they do not.
# zh: view 要求步长相容；flatten 和 reshape 在不相容时会复制。
@@
-    pixels = input.flatten(2)
+    pixels = input.view(*input.shape[:2], input.shape[2:].numel())
