# over: solution.py
# verdict: MLE | TLE
# group: large
# en: A list of all windows takes more memory than the data; sums of counts for each series do.
# zh: 把所有窗口列出来，比数据本身还占内存；每条序列的累计个数就够了。
@@
         self.ends = list(accumulate(counts))
+        self.pairs = [(n, s * stride) for n, count in enumerate(counts) for s in range(count)]
@@
-        number = bisect_right(self.ends, index)
-        begin = self.ends[number - 1] if number else 0
-        start = (index - begin) * self.stride
+        number, start = self.pairs[index]
