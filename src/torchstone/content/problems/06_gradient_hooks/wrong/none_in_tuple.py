# over: good/running_maximum.py
# verdict: RTE
# group: edge
# en: An output that nobody uses has the gradient None.
# zh: 没有被使用的输出，其梯度为 None。
@@ def _record
-            if gradient is None or gradient.numel() == 0:
+            if gradient.numel() == 0:
