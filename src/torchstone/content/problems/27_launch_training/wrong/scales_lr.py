# over: solution.py
# verdict: WA value
# group: sample
# en: Linear scaling is a choice of the user, not of the script.
# zh: 学习率线性缩放应由使用者决定，不由脚本决定。
@@
-    optimizer = torch.optim.SGD(ddp.parameters(), lr=args.lr, momentum=0.9)
+    lr = args.lr * dist.get_world_size()
+    optimizer = torch.optim.SGD(ddp.parameters(), lr=lr, momentum=0.9)
