# over: solution.py
# verdict: WA value
# group: small
# en: layer_norm_eps does not reach the normalisations.
# zh: layer_norm_eps 没有传给归一化层。
@@
-        self.norm1 = nn.LayerNorm(d_model, eps)
-        self.norm2 = nn.LayerNorm(d_model, eps)
+        self.norm1 = nn.LayerNorm(d_model)
+        self.norm2 = nn.LayerNorm(d_model)
@@
-        self.norm = nn.LayerNorm(d_model, layer_norm_eps) if final_norm else None
+        self.norm = nn.LayerNorm(d_model) if final_norm else None
