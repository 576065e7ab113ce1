# over: solution.py
# verdict: WA property
# group: sample
# en: Every layer has parameters of its own; here one layer is applied again and again.
# zh: 每层都有自己的参数；这里只是反复用同一层。
@@
-        self.layers = nn.ModuleList(
-            EncoderLayer(d_model, nhead, *options) for _ in range(num_layers)
-        )
+        self.layers = nn.ModuleList([EncoderLayer(d_model, nhead, *options)] * num_layers)
