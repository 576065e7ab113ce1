# over: solution.py
# verdict: WA grad
# group: sample
# en: The bottom row of the pose is to be ignored; here the result is divided by what it gives.
# zh: pose 的最后一行应当忽略；这里却用它算出的数去除结果。
@@
-    camera = points @ pose[..., :3, :3].mT + pose[..., None, :3, 3]
+    camera = points @ pose[..., :3, :3].mT + pose[..., None, :3, 3]
+    camera = camera / (points @ pose[..., 3:, :3].mT + pose[..., None, 3:, 3])
