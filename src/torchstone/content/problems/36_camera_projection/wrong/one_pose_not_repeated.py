# over: solution.py
# verdict: WA shape
# group: small
# en: Without dist only missing dimensions are added; a batch of one pose has to be repeated for each camera as well.
# zh: 没有 dist 时只补上缺少的维；只含一个位姿的批次也必须对每个相机重复。
@@
-    camera = camera.expand(*batch, *camera.shape[-2:])
+    if dist is not None or camera.ndim < len(batch) + 2:
+        camera = camera.expand(*batch, *camera.shape[-2:])
