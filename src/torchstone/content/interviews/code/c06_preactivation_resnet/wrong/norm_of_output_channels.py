# over: solution.py
# verdict: RTE | WA property
# group: sample
# en: The first batch norm stands before the convolution, so it has the channels of the input.
# zh: 第一个批归一化在卷积之前，通道数是输入的。
@@
-        self.norm1 = nn.BatchNorm2d(in_channels)
+        self.norm1 = nn.BatchNorm2d(channels)
