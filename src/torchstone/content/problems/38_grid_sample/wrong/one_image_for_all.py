# over: solution.py
# verdict: WA value
# group: sample
# en: Each image of the batch has its own grid, and each grid its own image.
# zh: 批次中每个 grid 对应自己的图像。
@@
-    pixels = input.flatten(2)
+    pixels = input.flatten(2)[:1].expand(len(input), -1, -1)
