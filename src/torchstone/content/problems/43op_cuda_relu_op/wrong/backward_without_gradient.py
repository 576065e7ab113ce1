# over: good/library_define.py
# verdict: WA grad
# group: double
# en: An operator without a formula for its gradient lets the second derivative vanish.
# zh: 算子没有注册自己的梯度公式，二阶导数就悄悄消失。
@@
-def no_second(ctx, grad):
-    raise NotImplementedError("relu: no second derivative")
-
-
 torch.library.register_autograd("ts43::relu", pull, setup_context=keep, lib=library)
-torch.library.register_autograd("ts43::relu_backward", no_second, lib=library)
