# over: solution.py
# verdict: WA property
# group: sample
# en: The projection has a batch norm of its own.
# zh: 投影捷径带有自己的批归一化。
@@
                 nn.Conv2d(in_channels, channels, 1, stride, bias=False),
-                nn.BatchNorm2d(channels),
             )
