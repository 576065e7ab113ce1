# over: solution.py
# verdict: WA property
# group: sample
# en: Only whole windows count; the end of a series makes no shorter one.
# zh: 只算完整的窗口；序列末尾不产生更短的窗口。
@@
-        counts = [len(range(0, len(each) - length + 1, stride)) for each in series]
+        counts = [len(range(0, len(each), stride)) for each in series]
