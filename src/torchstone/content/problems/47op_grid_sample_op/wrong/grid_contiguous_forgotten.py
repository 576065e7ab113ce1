# over: solution.py
# verdict: WA value | RTE
# group: layout
# en: A grid that a network gives is (N, 2, Ho, Wo) permuted: x and y do not alternate in memory.
# zh: 网络给出的 grid 常由 (N, 2, Ho, Wo) permute 而来：内存中 x 与 y 并不相间。
@@
-    input, grid = input.contiguous(), grid.contiguous()
+    input = input.contiguous()
