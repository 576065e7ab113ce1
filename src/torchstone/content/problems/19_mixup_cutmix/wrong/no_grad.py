# over: solution.py
# verdict: WA grad
# group: small
# en: An augmentation without a graph cuts off whatever made the images and the soft targets.
# zh: 数据增强若不建计算图，生成图像和软标签的那部分网络就得不到梯度。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
+@torch.no_grad()
 def cutmix(
