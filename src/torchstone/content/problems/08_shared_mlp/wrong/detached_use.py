# over: good/functional_forward.py
# verdict: WA grad
# group: sample
# en: Both uses contribute to the gradient; a detached one silently removes a term.
# zh: 两次使用都有贡献；detach 会悄悄丢掉一项。
@@
-        hidden = nn.functional.linear(x, self.fc1.weight, self.fc1.bias).clamp(min=0)
-        return nn.functional.linear(hidden, self.fc2.weight, self.fc2.bias)
+        hidden = torch.relu(self.fc1(x))
+        return nn.functional.linear(hidden, self.fc1.weight.detach(), self.fc2.bias)
@@
-    return sum(p.numel() for p in set(module.parameters()) if not trainable_only or p.requires_grad)
+    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
