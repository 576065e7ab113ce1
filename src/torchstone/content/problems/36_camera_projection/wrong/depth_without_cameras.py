# over: solution.py
# verdict: WA shape
# group: small
# en: depth and valid have the batch of all inputs, that of K and dist as well.
# zh: depth 与 valid 的批次由全部输入共同广播得到，也包括 K 和 dist。
@@
     camera = points @ pose[..., :3, :3].mT + pose[..., None, :3, 3]
-    camera = camera.expand(*batch, *camera.shape[-2:])
