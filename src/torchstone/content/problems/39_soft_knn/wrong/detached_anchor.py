# over: solution.py
# verdict: WA grad
# group: sample
# en: The anchor moves with the points: it must not be detached.
# zh: 锚点随点移动，不能 detach。
@@
-    anchors = d.topk(k, dim=-1, largest=False).values
+    anchors = d.detach().topk(k, dim=-1, largest=False).values
