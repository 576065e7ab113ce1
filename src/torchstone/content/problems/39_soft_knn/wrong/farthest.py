# over: solution.py
# verdict: WA value
# group: sample
# en: topk returns the largest distances unless largest=False.
# zh: topk 默认取最大值，需要 largest=False。
@@
-    anchors = d.topk(k, dim=-1, largest=False).values
+    anchors = d.topk(k, dim=-1).values
