# over: solution.py
# verdict: MLE | RTE
# group: large
# en: Overlapping windows hold each element length times; cut them when they are asked for.
# zh: 重叠的窗口会把每个元素存 length 遍；应当在取的时候再切。
@@
         self.transform = transform
+        self.windows = [series[start : start + length].clone() for start in range(0, len(series), stride)]
@@
-        window = self.series[start : start + self.length]
+        window = self.windows[index]
