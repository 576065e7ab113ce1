# over: solution.py
# verdict: WA value
# group: sample
# en: Clip the mean once: clipped parts add up to something else.
# zh: 应对平均梯度裁剪一次：先裁剪再累加就成了别的东西。
@@
             (loss / accumulate).backward()
+            torch.nn.utils.clip_grad_value_(parameters, max_value)
             losses.append(loss.item())
