# over: solution.py
# verdict: WA value
# group: scale
# en: The scores are divided after the product, which in float16 has overflowed by then.
# zh: 乘积之后才缩放；在 float16 中，乘积那时已经溢出。
@@
-        # Scaled before the product: in float16 the product alone could overflow.
-        scores = (q / math.sqrt(self.head_dim)) @ k.transpose(-2, -1)
+        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
