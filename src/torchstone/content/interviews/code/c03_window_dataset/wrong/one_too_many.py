# over: solution.py
# verdict: WA value
# group: sample
# en: Positions count from 0, so the last real one is length - 1.
# zh: 位置从 0 数起，最后一个真实位置是 length − 1。
@@
-    mask = torch.arange(longest) < lengths[:, None]
+    mask = torch.arange(longest) <= lengths[:, None]
