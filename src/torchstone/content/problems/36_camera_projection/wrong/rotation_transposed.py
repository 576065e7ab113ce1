# over: solution.py
# verdict: WA value
# group: sample
# en: For points in rows R X is `points @ R.mT`; this multiplies by the inverse rotation.
# zh: 点按行存放时，R X 要写成 `points @ R.mT`；这里乘的是逆旋转。
@@
-    camera = points @ pose[..., :3, :3].mT + pose[..., None, :3, 3]
+    camera = points @ pose[..., :3, :3] + pose[..., None, :3, 3]
