# over: solution.py
# verdict: WA value
# group: sample
# en: Without a ReLU in the stem, the first block adds to values that may be negative.
# zh: 输入部分少了 ReLU，第一个块的捷径就带着负值。
@@
             nn.BatchNorm2d(widths[0]),
-            nn.ReLU(),
