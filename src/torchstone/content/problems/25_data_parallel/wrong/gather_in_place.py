# over: solution.py
# verdict: WA property
# group: device
# en: The results belong on output_device, whatever device the first of them lies on.
# zh: 结果应放到 output_device，而不是第一个结果所在的设备。
@@
-        return gather(outputs, self.output_device, self.dim)
+        return gather(outputs, self.devices[0], self.dim)
