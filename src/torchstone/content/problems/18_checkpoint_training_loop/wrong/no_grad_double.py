# over: solution.py
# verdict: WA property
# group: checkpoint
# en: Under no_grad the function runs a second time, although without gradients there is nothing
#   to compute again.
# zh: 在 no_grad 下函数也执行了两次；不需要梯度时没有什么要重算。
@@
     if not torch.is_grad_enabled():
+        fn(*args)  # to see that it can be computed again
