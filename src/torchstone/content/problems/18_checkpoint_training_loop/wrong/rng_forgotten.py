# over: solution.py
# verdict: WA value | WA grad
# group: rng
# en: The recomputation draws other masks than the forward pass, so the gradient is that of
#   another network; it must start from the generator's old state.
# zh: 重算时抽到的 mask 与前向不同，得到的是另一个网络的梯度；重算必须从生成器当时的状态开始。
@@
-            if ctx.rng_state is not None:
-                torch.set_rng_state(ctx.rng_state)
