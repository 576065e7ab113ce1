# over: solution.py
# verdict: WA property
# group: sample
# en: Layers in a Python list are not registered: they have no place in the state_dict and no
#   optimiser finds them.
# zh: 放在普通列表里的层没有登记：state_dict 里没有它们，优化器也找不到。
@@
-        self.layers = nn.ModuleList(
-            EncoderLayer(d_model, nhead, *options) for _ in range(num_layers)
-        )
+        self.layers = [EncoderLayer(d_model, nhead, *options) for _ in range(num_layers)]
