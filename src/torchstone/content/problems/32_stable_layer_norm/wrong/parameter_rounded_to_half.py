# over: solution.py
# verdict: WA value
# group: scale
# en: Parameters of float32 keep their digits: round the result, not what goes into it.
# zh: float32 的参数要保留全部位数：舍入的是结果，而不是输入。
@@
-        y = y * weight.flatten().to(wide)
+        y = y * weight.flatten().to(x.dtype).to(wide)
@@
-        y = y + bias.flatten().to(wide)
+        y = y + bias.flatten().to(x.dtype).to(wide)
