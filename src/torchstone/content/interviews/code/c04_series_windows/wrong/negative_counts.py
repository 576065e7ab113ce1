# over: solution.py
# verdict: WA property
# group: small
# en: A series shorter than a window has none; the formula alone gives a number below 0.
# zh: 比窗口还短的序列没有窗口；直接套公式会得到负数。
@@
-        counts = [len(range(0, len(each) - length + 1, stride)) for each in series]
+        counts = [(len(each) - length) // stride + 1 for each in series]
