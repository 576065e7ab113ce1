# over: solution.py
# verdict: WA dtype
# group: nested
# en: Numbers become float32, which rounds large integers and loses digits of a float.
# zh: 数值变成了 float32：大整数被舍入，小数丢掉了位数。
@@
-        return torch.tensor(samples, dtype=NUMBERS[type(first)])
+        return (
+            torch.tensor(samples).to(NUMBERS[type(first)])
+            if not isinstance(first, float)
+            else torch.tensor(samples)
+        )
