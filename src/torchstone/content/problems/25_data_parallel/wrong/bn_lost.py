# over: solution.py
# verdict: WA value
# group: buffers
# en: Replica 0 must use the module's own buffers or the statistics never move.
# zh: 副本 0 必须用模块自己的 buffer，否则统计量不会变。
@@
-            copies |= {b: b for b in module.buffers()}
+            copies |= {b: device.put(b) for b in module.buffers()}
