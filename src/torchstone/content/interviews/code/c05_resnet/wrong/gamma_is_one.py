# over: solution.py
# verdict: WA value
# group: sample
# en: With weight 0 in the last batch norm a block starts as its shortcut.
# zh: 最后一个批归一化的权重为 0，块才从捷径出发。
@@
-        # The block starts as ReLU(shortcut), however deep the network is.
-        nn.init.zeros_(self.norm2.weight)
