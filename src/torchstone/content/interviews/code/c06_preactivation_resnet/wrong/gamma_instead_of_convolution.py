# over: solution.py
# verdict: WA property | WA value
# group: sample
# en: No batch norm follows the second convolution: its own weight starts at 0.
# zh: 第二个卷积后面没有批归一化：从 0 开始的是它自己的权重。
@@
-        nn.init.zeros_(self.conv2.weight)
+        nn.init.zeros_(self.norm2.weight)
