# over: good/functional_forward.py
# verdict: WA grad
# group: sample
# en: The gradient of a shared weight is the sum of its uses, not their mean.
# zh: 共享权重的梯度是各次使用之和，而不是平均。
@@
-        hidden = nn.functional.linear(x, self.fc1.weight, self.fc1.bias).clamp(min=0)
-        return nn.functional.linear(hidden, self.fc2.weight, self.fc2.bias)
+        # Two uses, so each gets half of the gradient.
+        weight = self.fc1.weight / 2 + self.fc1.weight.detach() / 2
+        hidden = torch.relu(nn.functional.linear(x, weight, self.fc1.bias))
+        return nn.functional.linear(hidden, weight, self.fc2.bias)
@@
-    return sum(p.numel() for p in set(module.parameters()) if not trainable_only or p.requires_grad)
+    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
