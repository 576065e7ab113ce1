# over: solution.py
# verdict: WA grad
# group: sample
# en: If no values are given, the points move the sums as well.
# zh: 没有给出 values 时，点也通过加权和产生梯度。
@@
-    values = points if values is None else values
+    values = points.detach() if values is None else values
