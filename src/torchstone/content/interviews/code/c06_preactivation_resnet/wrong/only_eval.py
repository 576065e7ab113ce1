# over: solution.py
# verdict: WA property
# group: grad
# en: Evaluation mode keeps the statistics; the parameters would still be trained.
# zh: 评估模式只固定统计量，参数照样会被训练。
@@
-        for module in self.frozen:
-            module.requires_grad_(False)
         self.train(self.training)
