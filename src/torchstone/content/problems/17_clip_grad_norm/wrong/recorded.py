# over: solution.py
# verdict: WA property
# group: edge
# en: A gradient may carry a graph. Without no_grad the clipping becomes a part of it, or is
#   refused.
# zh: 梯度可以带计算图。不加 no_grad，裁剪会被记录进去，或者直接报错。
@@
-@torch.no_grad()
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
