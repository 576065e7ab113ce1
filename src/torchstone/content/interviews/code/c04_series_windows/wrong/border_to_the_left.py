# over: solution.py
# verdict: RTE | WA property | WA shape
# group: sample
# en: An index equal to an end belongs to the next series that has windows.
# zh: 下标等于某条序列的终点时，属于下一条有窗口的序列。
@@
-        number = bisect_right(self.ends, index)
+        number = bisect_right(self.ends, index - 1) if index else 0
