# over: solution.py
# verdict: WA shape | WA value
# group: sample
# en: A start counts from the beginning of its own series.
# zh: 起点要从自己那条序列的开头数起。
@@
-        start = (index - begin) * self.stride
+        start = index * self.stride
