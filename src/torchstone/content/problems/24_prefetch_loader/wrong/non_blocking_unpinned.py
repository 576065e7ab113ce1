# over: solution.py
# verdict: WA property
# group: pin
# en: non_blocking on pageable memory is a synchronous copy.
# zh: 对可分页内存 non_blocking 依旧是同步拷贝。
@@
-        return device.copy_async(device.pin(tensor) if pin else tensor, stream)
+        return device.copy_async(tensor, stream)
