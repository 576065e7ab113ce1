# over: solution.py
# verdict: WA value
# group: sample
# en: The sampler shuffles by seed + epoch: without set_epoch every epoch has the same order.
# zh: 采样器按 seed + epoch 打乱；不调用 set_epoch，每轮顺序都一样。
@@
     for epoch in range(args.epochs):
-        sampler.set_epoch(epoch)
