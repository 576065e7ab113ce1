# over: solution.py
# verdict: WA property
# group: edge
# en: NaN passes through every clamp and ruins all it meets; leave the step out.
# zh: NaN 能穿过任何裁剪，毁掉它碰到的一切；应当跳过这一步。
@@
         if any(bool(gradient.isnan().any()) for gradient in gradients):
             history["skipped"].append(step)
-        else:
-            torch.nn.utils.clip_grad_value_(parameters, max_value)
-            optimizer.step()
+        torch.nn.utils.clip_grad_value_(parameters, max_value)
+        optimizer.step()
