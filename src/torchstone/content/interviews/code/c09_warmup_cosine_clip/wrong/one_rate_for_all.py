# over: solution.py
# verdict: WA value
# group: small
# en: Each parameter group keeps its own base rate; the schedule is a factor.
# zh: 每个参数组保留自己的基准学习率；调度只是一个系数。
@@
-            group["lr"] = lr * factor
+            group["lr"] = base[0] * factor
