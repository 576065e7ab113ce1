# over: solution.py
# verdict: RTE
# group: layout
# en: view needs strides that fit; flatten and reshape copy where they do not.
# zh: view 要求步长相容；flatten 和 reshape 在不相容时会复制。
@@
-    places = grid.flatten(1, -2).unbind(-1)
+    places = grid.view(len(grid), grid.shape[1:-1].numel(), len(sizes)).unbind(-1)
