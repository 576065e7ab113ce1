# over: solution.py
# verdict: WA property
# group: errors
# en: The status refuses a bad mode on the CPU; the fake launches nothing and must refuse by itself.
# zh: 在 CPU 上状态码能拒绝错误的模式；fake 不启动核函数，必须自己检查。
@@
-    if not 0 <= padding_mode <= 2:
-        raise ValueError(f"grid_sample: padding_mode is 0, 1 or 2, got {padding_mode}")
