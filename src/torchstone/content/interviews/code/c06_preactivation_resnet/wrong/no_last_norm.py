# over: solution.py
# verdict: WA property
# group: sample
# en: The sum of all blocks was never normalised: the head begins with batch norm and ReLU.
# zh: 所有块的和从未归一化：分类头要从批归一化和 ReLU 开始。
@@
-        self.norm = nn.BatchNorm2d(channels)
+        self.norm = nn.Identity()
