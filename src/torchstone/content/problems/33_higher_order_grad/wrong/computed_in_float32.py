# over: solution.py
# verdict: WA dtype
# group: sample
# en: The total is a float32 tensor whatever the dtype of x is.
# zh: 不论 x 是什么类型，总和都是 float32 张量。
@@
             total = total + row[:, d]
-        return total
+        return total.float()
 
