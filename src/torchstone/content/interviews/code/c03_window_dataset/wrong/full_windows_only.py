# over: solution.py
# verdict: WA property | RTE
# group: sample
# en: Every start below T makes a window, also one that the end cuts short.
# zh: 每个小于 T 的起点都有一个窗口，被末尾截短的也算。
@@
-        # Rounded up: a start just before the end makes a window, too.
-        return -(-len(self.series) // self.stride)
+        return max(0, (len(self.series) - self.length) // self.stride + 1)
