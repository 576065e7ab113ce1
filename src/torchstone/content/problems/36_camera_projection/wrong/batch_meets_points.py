# over: solution.py
# verdict: WA value
# group: small
# en: The translation needs an axis for the points, pose[..., None, :3, 3]; without it the batch is matched with the points.
# zh: 平移要为点补一维，写成 pose[..., None, :3, 3]；否则批次会与点对上。
@@
-    camera = points @ pose[..., :3, :3].mT + pose[..., None, :3, 3]
+    camera = points @ pose[..., :3, :3].mT + pose[..., :3, 3]
