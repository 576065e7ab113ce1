# over: solution.py
# verdict: WA property
# group: sample
# en: Batch norm subtracts the mean, and a bias with it: it would be trained in vain.
# zh: 批归一化减去均值，偏置也随之抵消，白白训练。
@@
-        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
+        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
