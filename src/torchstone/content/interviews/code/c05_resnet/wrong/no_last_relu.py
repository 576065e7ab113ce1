# over: solution.py
# verdict: WA value
# group: sample
# en: In this block the sum itself goes through ReLU.
# zh: 这种块里，求和的结果还要过一次 ReLU。
@@
-        return self.relu(y + self.shortcut(x))
+        return y + self.shortcut(x)
