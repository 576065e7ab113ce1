# over: solution.py
# verdict: WA property
# group: pin
# en: With pin=False the tensors are page-locked already; another copy is a waste.
# zh: pin=False 表示张量已经锁页，再复制一次是浪费。
@@
-        return device.copy_async(device.pin(tensor) if pin else tensor, stream)
+        return device.copy_async(device.pin(tensor), stream)
