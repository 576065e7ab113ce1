# over: solution.py
# verdict: WA value
# group: dropout
# en: With p = 1 the factor 1 / (1 − p) is infinite, and infinity times zero is NaN; the branch is
#   zero.
# zh: p = 1 时 1/(1−p) 为无穷大，与零相乘得 NaN；此时该分支应为零。
@@
 from torch.nn import functional as F
+
+
+class Dropout(nn.Dropout):
+    def forward(self, x: Tensor) -> Tensor:
+        if not self.training:
+            return x
+        return x * (torch.rand_like(x) >= self.p) * torch.tensor(1 - self.p).reciprocal()
+
@@
         self.out_proj = nn.Linear(d_model, d_model)
-        self.dropout = nn.Dropout(dropout)
+        self.dropout = Dropout(dropout)
@@
         self.norm2 = nn.LayerNorm(d_model, eps)
-        self.dropout = nn.Dropout(dropout)
+        self.dropout = Dropout(dropout)
