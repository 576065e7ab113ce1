# over: solution.py
# verdict: WA property | RTE
# group: sample
# en: The number of starts below T is T / stride rounded up.
# zh: 小于 T 的起点共有 T / stride 向上取整个。
@@
-        # Rounded up: a start just before the end makes a window, too.
-        return -(-len(self.series) // self.stride)
+        return len(self.series) // self.stride
