# over: solution.py
# verdict: WA property
# group: errors
# en: Wrong arguments are not refused with ValueError where they are given, in the constructor.
# zh: 没有在构造函数里用 ValueError 拒绝错误的参数。
@@
         self.out_proj = nn.Linear(d_model, d_model)
-        self.dropout = nn.Dropout(dropout)
+        self.dropout = nn.Dropout(min(max(dropout, 0.0), 1.0))
@@
-        self.dropout = nn.Dropout(dropout)
-        self.activation, self.norm_first = ACTIVATIONS[activation], norm_first
+        self.dropout = nn.Dropout(min(max(dropout, 0.0), 1.0))
+        self.activation, self.norm_first = ACTIVATIONS.get(activation, F.relu), norm_first
@@
-        if nhead < 1 or d_model % nhead:
-            raise ValueError(f"TransformerEncoder: nhead {nhead} must divide d_model {d_model}.")
-        if activation not in ACTIVATIONS:
-            raise ValueError(
-                f"TransformerEncoder: activation {activation!r}; use 'relu' or 'gelu'."
-            )
-        if not 0 <= dropout <= 1:
-            raise ValueError(f"TransformerEncoder: dropout {dropout} is outside [0, 1].")
