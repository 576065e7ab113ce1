# over: solution.py
# verdict: WA property
# en: Declares every update to be skipped, and never steps.
# zh: 宣称每次更新都被跳过，从不走一步。
@@
-        if math.isfinite(norm):
+        if step < 0:
             optimizer.step()
