# over: solution.py
# verdict: WA value | WA property
# group: protocol
# en: A new scale starts the count of good steps anew; it leaves the count as it is.
# zh: 设定新的缩放因子时把连续成功的步数清零；这个计数应保持不变。
@@
             self._scale = torch.tensor(float(new_scale))
+            self._growth_tracker = 0
         elif not self._bad:
