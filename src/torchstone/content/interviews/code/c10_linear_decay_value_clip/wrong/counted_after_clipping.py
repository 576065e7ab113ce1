# over: solution.py
# verdict: WA value
# group: sample
# en: After clipping no entry is beyond the limit; count before.
# zh: 裁剪之后没有元素越限；要在之前数。
@@
-        history["clipped"].append(_share_beyond(gradients, max_value))
         history["lr"].append([group["lr"] for group in groups])
@@
             torch.nn.utils.clip_grad_value_(parameters, max_value)
             optimizer.step()
+        history["clipped"].append(_share_beyond(gradients, max_value))
     return history
