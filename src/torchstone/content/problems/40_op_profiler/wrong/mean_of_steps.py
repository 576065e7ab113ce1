# over: solution.py
# verdict: WA property
# group: small
# en: The times are means of the steps and no sums.
# zh: 给出的是每步平均值，而不是各步之和。
@@
             around.append((end, row))
+        steps = max(self._step - self._warmup, 1)
+        for row in rows:
+            row.total_us, row.self_us = row.total_us / steps, row.self_us / steps
+            row.backward_us /= steps
         return rows
