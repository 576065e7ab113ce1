# over: solution.py
# verdict: WA value
# group: sample
# en: The pose maps the world to the camera, R X + t; this is its inverse.
# zh: pose 把世界坐标变到相机坐标，即 R X + t；这里用的是它的逆。
@@
-    camera = points @ pose[..., :3, :3].mT + pose[..., None, :3, 3]
+    camera = (points - pose[..., None, :3, 3]) @ pose[..., :3, :3]
