# over: solution.py
# verdict: WA property
# en: Declares every update to be skipped, and never steps.
# zh: 宣称每次更新都被跳过，从不走一步。
@@
-        if any(bool(gradient.isnan().any()) for gradient in gradients):
+        if gradients:
             history["skipped"].append(step)
