# over: solution.py
# verdict: WA value | WA shape
# group: sample
# en: A negative start is a slice from the end of the series, not the last window.
# zh: 负的起点是从序列末尾切片，不是最后一个窗口。
@@
-        start = index % count * self.stride
+        start = index * self.stride
