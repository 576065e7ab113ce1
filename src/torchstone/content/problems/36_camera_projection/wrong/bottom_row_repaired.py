# over: solution.py
# verdict: INPUT_MUTATED
# group: small
# en: The bottom row of the pose is ignored, not repaired: the pose belongs to the caller.
# zh: pose 的最后一行应当忽略，而不是就地改成 0 0 0 1：它属于调用者。
@@
     _check(points, pose, K, dist)
+    pose.data[..., 3, :] = torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=pose.dtype)
