# over: solution.py
# verdict: WA grad
# group: unused
# en: None says that there is no gradient, and the optimiser passes the parameter over; for a
#   zero it still applies momentum and weight decay.
# zh: None 表示没有梯度，优化器会跳过这个参数；若是 0，动量和权重衰减照样生效。
@@
-        used = self.used
@@
-            used = self._used_anywhere()
@@
-                if parameter not in used:
-                    continue
