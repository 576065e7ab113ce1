# over: solution.py
# verdict: WA value
# group: small
# en: Clip the whole gradient once; clipped parts add up to another direction and length.
# zh: 应对整个梯度裁剪一次；先裁剪再累加，方向和长度都不同。
@@
             (loss / len(batches)).backward()
+            norm = float(torch.nn.utils.clip_grad_norm_(parameters, max_norm))
             losses.append(loss.item())
-        # Once, on the whole gradient: clipped parts would add up to another direction.
-        norm = float(torch.nn.utils.clip_grad_norm_(parameters, max_norm))
