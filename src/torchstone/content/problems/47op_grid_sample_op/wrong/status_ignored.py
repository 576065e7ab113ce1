# over: solution.py
# verdict: WA property
# group: errors
# en: A kernel that refuses a call only says so; the memory of the result is left as it was.
# zh: 核函数拒绝调用时只返回状态码；结果的内存原样不动。
@@
-    if not 0 <= padding_mode <= 2:
-        raise ValueError(f"grid_sample: padding_mode is 0, 1 or 2, got {padding_mode}")
@@
-    status = entry(*args)
-    if status != 0:
-        raise RuntimeError(f"grid_sample: the kernel returns {status}")
+    entry(*args)
