# over: solution.py
# verdict: WA value
# group: small
# en: Inverted dropout scales by 1 / (1 − p) in training alone; in evaluation it changes nothing.
# zh: 反向缩放的 dropout 只在训练时乘以 1/(1−p)，推理时什么也不做。
@@
 from torch.nn import functional as F
+
+
+class Dropout(nn.Dropout):
+    def forward(self, x: Tensor) -> Tensor:
+        return super().forward(x) if self.training else x / (1 - self.p)
+
@@
         self.out_proj = nn.Linear(d_model, d_model)
-        self.dropout = nn.Dropout(dropout)
+        self.dropout = Dropout(dropout)
@@
         self.norm2 = nn.LayerNorm(d_model, eps)
-        self.dropout = nn.Dropout(dropout)
+        self.dropout = Dropout(dropout)
