# over: solution.py
# verdict: WA dtype
# group: grad
# en: Casts the weights themselves, as model.half() does. Master weights stay float32, or
#     small updates vanish.
# zh: 直接把权重本身转成半精度，与 model.half() 相同。主权重要保持 float32，否则小更新会消失。
@@
     key = id(x), dtype, torch.is_grad_enabled()
+    x.data = x.data.to(dtype)
+    return x
