# over: solution.py
# verdict: WA value
# group: sample
# en: The identity shortcut is x itself; through batch norm and ReLU it would be no identity.
# zh: 恒等捷径就是 x 本身；过了批归一化和 ReLU 就不再恒等。
@@
-        return y + (x if self.shortcut is None else self.shortcut(active))
+        return y + (active if self.shortcut is None else self.shortcut(active))
