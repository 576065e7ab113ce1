# over: solution.py
# verdict: WA property
# group: small
# en: An epoch ends with a step: what is left is not carried into the next one.
# zh: 一轮以一步更新结束：剩下的不带到下一轮。
@@
-        optimizer.step()
+        if len(taken) == accumulate:
+            optimizer.step()
         count += num_samples
