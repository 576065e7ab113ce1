# over: solution.py
# verdict: WA property
# group: hazard
# en: A batch that is kept for one step longer is overwritten one step later: no event says that
#     the kernels have ended.
# zh: 多留一步只是晚一步被覆盖：没有任何事件说明核函数已经结束。
@@
-        yield handed_over(*ready.popleft(), device)
+        kept = handed_over(*ready.popleft(), device)
+        yield kept
@@
-    map_tensors(lambda tensor: device.record_stream(tensor, compute), batch)
