# over: solution.py
# verdict: WA value
# group: sample
# en: Batch norm has PyTorch's default momentum of 0.1 here; another one moves other statistics.
# zh: 这里批归一化用 PyTorch 默认的动量 0.1；换一个值，滑动统计量就不同。
@@
-        self.norm1 = nn.BatchNorm2d(channels)
+        self.norm1 = nn.BatchNorm2d(channels, momentum=0.01)
