# over: solution.py
# verdict: WA grad
# group: basic
# en: Sends bfloat16, half of the bytes and few of the digits.
# zh: 以 bfloat16 传输：字节减半，有效数字也所剩无几。
@@
-            flat = torch.cat([grad_or_zero(parameter).reshape(-1) for parameter in bucket])
+            flat = torch.cat([grad_or_zero(each).reshape(-1) for each in bucket]).bfloat16()
