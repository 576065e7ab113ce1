# over: solution.py
# verdict: WA value
# group: sample
# en: The scores are not divided by √head_dim; the wider the heads, the more the softmax
#   saturates.
# zh: 分数没有除以 √head_dim；头越宽，softmax 越容易饱和。
@@
-        # Scaled before the product: in float16 the product alone could overflow.
-        scores = (q / math.sqrt(self.head_dim)) @ k.transpose(-2, -1)
+        scores = q @ k.transpose(-2, -1)
