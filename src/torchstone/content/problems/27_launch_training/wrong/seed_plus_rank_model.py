# over: good/hand_all_reduce.py
# verdict: WA value
# group: sample
# en: Different seeds for data augmentation are good; the weights must be the same.
# zh: 数据增强可用不同种子，但权重必须一致。
@@
-    model = build_model(x.size(1), args.hidden, int(y.max().item()) + 1, args.seed)
+    model = build_model(x.size(1), args.hidden, int(y.max().item()) + 1, args.seed + rank)
@@
-    if world > 1:
-        for parameter in parameters:
-            dist.broadcast(parameter.data, src=0)
     optimizer = torch.optim.SGD(parameters, lr=args.lr, momentum=0.9)
