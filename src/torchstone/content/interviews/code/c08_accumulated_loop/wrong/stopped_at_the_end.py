# over: solution.py
# verdict: WA property
# group: edge
# en: Patience that ends with the last epoch has stopped nothing.
# zh: 耐心恰好在最后一轮用尽，并没有提前停止什么。
@@
-            history["stopped"] = epoch + 1 < epochs
+            history["stopped"] = True
