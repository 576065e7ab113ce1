# over: solution.py
# verdict: WA property
# group: edge
# en: A call of the layer by itself is not subtracted from its own time, and counts twice.
# zh: 层对自己的嵌套调用没有从自身时间中减去，因而计了两次。
@@
-    if callers:
+    if callers and callers[-1] is not row:
         callers[-1].self_us -= duration
