# over: good/autograd_backward.py
# verdict: INPUT_MUTATED | WA property
# group: context
# en: Autograd was switched on for the caller's own tensors.
# zh: 对调用方自己的张量打开了求导。
@@
         b = x.new_zeros(shape[1:]) if bias is None else bias.detach().to(wide).clone()
+        if weight is not None and weight.is_leaf and not weight.is_inference():
+            weight.requires_grad_()
