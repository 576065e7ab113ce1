# over: solution.py
# verdict: WA property
# group: sample
# en: Batch norm and ReLU of the stem belong to the first block.
# zh: 输入部分的批归一化和 ReLU 属于第一个块。
@@
-        self.stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
+        stem = nn.Conv2d(in_channels, widths[0], 3, padding=1, bias=False)
+        self.stem = nn.Sequential(stem, nn.BatchNorm2d(widths[0]), nn.ReLU())
