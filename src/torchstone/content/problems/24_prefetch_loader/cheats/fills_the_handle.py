# over: solution.py
# verdict: WA property
# en: Writes the values into the handle; what the device holds is somewhere else.
# zh: 把数值写进句柄；设备上的内容并不在那里。
@@
-        return device.copy_async(device.pin(tensor) if pin else tensor, stream)
+        handle = device.copy_async(device.pin(tensor) if pin else tensor, stream)
+        return handle.copy_(tensor)
@@
-    compute.wait_event(copied)
