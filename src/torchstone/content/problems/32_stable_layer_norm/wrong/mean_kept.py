# over: solution.py
# verdict: WA value
# group: sample
# en: RMSNorm leaves the mean in; LayerNorm subtracts it.
# zh: RMSNorm 不减均值；LayerNorm 要减。
@@
-    deviation = rows - rows[..., :1].detach()
-    deviation -= deviation.mean(-1, keepdim=True)
+    deviation = rows
