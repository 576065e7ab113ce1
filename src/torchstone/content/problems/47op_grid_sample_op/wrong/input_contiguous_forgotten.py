# over: solution.py
# verdict: WA value | RTE
# group: layout
# en: A channels_last image has the shape of another and not its order in memory.
# zh: channels_last 的图像形状不变，内存次序却不同。
@@
-    input, grid = input.contiguous(), grid.contiguous()
+    grid = grid.contiguous()
