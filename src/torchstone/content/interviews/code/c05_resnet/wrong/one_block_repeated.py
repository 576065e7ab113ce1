# over: solution.py
# verdict: WA property
# group: small
# en: A list with the same module twice has one set of weights; each block needs its own.
# zh: 同一个模块在列表里出现两次，权重只有一份；每个块都要有自己的。
@@
-            for number in range(depth):
-                stride = 2 if stage > 0 and number == 0 else 1
-                blocks.append(Block(channels, width, stride))
-                channels = width
+            if stage > 0 or channels != width:
+                blocks.append(Block(channels, width, 2 if stage else 1))
+                depth -= 1
+            blocks += [Block(width, width, 1)] * depth
+            channels = width
