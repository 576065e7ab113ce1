# over: solution.py
# verdict: WA value
# en: Reports the schedule, and trains with a constant rate.
# zh: 报告的是调度，实际用的是恒定学习率。
@@
-            group["lr"] = group["base_lr"] * factor
+            group["reported"] = group["base_lr"] * factor
@@
-        history["lr"].append([group["lr"] for group in groups])
+        history["lr"].append([group["reported"] for group in groups])
