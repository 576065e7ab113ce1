# over: solution.py
# verdict: WA property
# group: value
# en: One replica on the first device computes everything: values and gradients are right.
# zh: 第一台设备算完整个批次，值和梯度都对。
@@
-        parts = scatter((inputs, kwargs), self.devices, self.dim)
+        parts = scatter((inputs, kwargs), self.devices[:1], self.dim)
