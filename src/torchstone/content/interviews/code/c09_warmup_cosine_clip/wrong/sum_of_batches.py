# over: solution.py
# verdict: WA value
# group: small
# en: Accumulated gradients add up; the mean divides by the number of batches.
# zh: 累积的梯度是和；要取平均，还得除以批数。
@@
-            # Divided by what this update really takes, not by `accumulate`.
-            (loss / len(batches)).backward()
+            loss.backward()
