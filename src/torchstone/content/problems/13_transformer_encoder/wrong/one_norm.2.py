# over: solution.py
# verdict: WA value | WA property
# group: sample
# en: Two sublayers have two normalisations, each with parameters of its own; here both use the
#   first.
# zh: 两个子层各有自己的归一化和参数；这里两处用的都是第一个。
@@
-        self.norm2 = nn.LayerNorm(d_model, eps)
+        self.norm2 = self.norm1
