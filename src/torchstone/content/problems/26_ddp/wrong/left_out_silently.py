# over: solution.py
# verdict: WA property
# group: unused
# en: Without the flag a parameter that got no gradient is an error of the next forward; its
#   bucket was never averaged.
# zh: 没有打开该选项时，缺梯度就要在下一次前向报错：它所在的桶根本没有平均过。
@@
-        self.was_left = len(self.launched) < len(self.buckets)
+        self.was_left = False
