# over: solution.py
# verdict: WA property
# group: buffers
# en: Only replica 0 may update the running statistics.
# zh: 只有副本 0 可以更新运行统计量。
@@
-            copies |= {b: device.put(b) for b in module.buffers()}
+            copies |= {b: b for b in module.buffers()}
