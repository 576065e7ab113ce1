# over: solution.py
# verdict: WA value
# group: sample
# en: After the step it is too late: the optimizer has already used the gradient.
# zh: 走完一步再裁剪就晚了：优化器已经用过这个梯度。
@@
-        norm = float(torch.nn.utils.clip_grad_norm_(parameters, max_norm))
+        norm = float(torch.nn.utils.get_total_norm([p.grad for p in parameters]))
         if math.isfinite(norm):
             optimizer.step()
+            torch.nn.utils.clip_grad_norm_(parameters, max_norm)
