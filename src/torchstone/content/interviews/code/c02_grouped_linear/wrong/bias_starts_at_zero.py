# over: solution.py
# verdict: WA property
# group: edge
# en: The column of the bias is drawn like the others.
# zh: 偏置那一列与其他列一样抽取。
@@
         self.weight = nn.Parameter(torch.empty(shape).uniform_(-limit, limit))
+        self.weight.data[..., -1] = 0
