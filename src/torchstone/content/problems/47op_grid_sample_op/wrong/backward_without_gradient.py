# over: good/two_backward_operators.py
# verdict: WA grad
# group: double
# en: An operator without a formula for its gradient lets the second derivative vanish.
# zh: 算子没有注册自己的梯度公式，二阶导数就悄悄消失。
@@
-def no_second(ctx, grad):
-    raise NotImplementedError("grid_sample: no second derivative")
-
-
 torch.library.register_autograd("ts47::grid_sample", pull, setup_context=keep, lib=library)
-for name in ("grad_input", "grad_grid"):
-    torch.library.register_autograd(f"ts47::{name}", no_second, lib=library)
