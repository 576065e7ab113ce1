# over: solution.py
# verdict: WA value
# group: sample
# en: The first dimension is the batch here; taken for time, samples attend to one another.
# zh: 本题第一维是批量；把它当作时间，样本之间就会互相注意。
@@

     def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
+        x = x.transpose(0, 1)
         batch, length, d_model = x.shape
@@
-        return self.out_proj(context)
+        return self.out_proj(context).transpose(0, 1)
