# over: solution.py
# verdict: WA property | WA grad
# group: bytes
# en: Sends bfloat16 only where a bucket is large.
# zh: 只在桶较大时以 bfloat16 传输。
@@
-            flat = torch.cat([grad_or_zero(parameter).reshape(-1) for parameter in bucket])
+            flat = torch.cat([grad_or_zero(each).reshape(-1) for each in bucket])
+            flat = flat.bfloat16() if flat.numel() > 10_000 else flat
