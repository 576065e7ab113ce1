# over: solution.py
# verdict: WA property
# group: pin
# en: Pinning copies the tensor; once is enough.
# zh: 锁页会复制一次张量，做一次就够了。
@@
-        return device.copy_async(device.pin(tensor) if pin else tensor, stream)
+        return device.copy_async(device.pin(device.pin(tensor)) if pin else tensor, stream)
