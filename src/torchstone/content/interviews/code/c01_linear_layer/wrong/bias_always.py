# over: solution.py
# verdict: WA property
# group: edge
# en: bias=False means no parameter; a zero bias would be trained and saved.
# zh: `bias=False` 表示没有这个参数；留一个零偏置，它会被训练、也会被保存。
@@
-            self.register_parameter("bias", None)
+            self.bias = nn.Parameter(torch.zeros(out_features))
