# over: solution.py
# verdict: WA property
# group: errors
# en: With arguments on two devices the dispatcher still finds an implementation.
# zh: 两个参数在不同设备上时，分发器照样会找到一个实现。
@@
-    if input.device != grid.device:
-        raise RuntimeError(f"grid_sample: got two devices, {input.device} and {grid.device}")
