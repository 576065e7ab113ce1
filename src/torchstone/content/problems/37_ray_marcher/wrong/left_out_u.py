# over: solution.py
# verdict: WA value
# group: sample
# en: Fine samples come from u_fine, not from equal steps.
# zh: 细样本由 u_fine 给出，不是等距的。
@@
-        if num_fine > 0:
-            if u_fine is None:
+        if num_fine > 0:
+            if True:
