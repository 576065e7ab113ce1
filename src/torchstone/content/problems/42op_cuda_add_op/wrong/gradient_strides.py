# over: solution.py
# verdict: WA grad
# group: grad
# en: The incoming gradient may have any strides; sum().backward() sends stride 0.
# zh: 传入的梯度可以是任意 stride；sum().backward() 传来的就是 stride 0。
@@
-    grad = grad.contiguous()
