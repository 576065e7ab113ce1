# over: solution.py
# verdict: WA grad
# group: unused
# en: The mean is over the ranks of the group; who has no gradient counts as zero.
# zh: 平均是对组内所有 rank 的；没有梯度的 rank 按 0 计入。
@@
                 parameter.grad.copy_(part.view_as(parameter))
+                if self.find_unused:
+                    parameter.grad /= used[parameter]
@@
-        return {parameter for parameter, flag in zip(self.bucket_of, flags, strict=True) if flag}
+        return {
+            parameter: flag / self.group.size()
+            for parameter, flag in zip(self.bucket_of, flags.tolist(), strict=True)
+            if flag
+        }
