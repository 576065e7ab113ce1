# over: good/functional_forward.py
# verdict: WA grad
# group: tie
# en: eval() says nothing about gradients; whoever wants none asks for no_grad.
# zh: eval() 与梯度无关；不需要梯度的人会自己使用 no_grad。
@@
-        hidden = nn.functional.linear(x, self.fc1.weight, self.fc1.bias).clamp(min=0)
-        return nn.functional.linear(hidden, self.fc2.weight, self.fc2.bias)
+        hidden = torch.relu(self.fc1(x))
+        return self.fc2(hidden if self.training else hidden.detach())
@@
-    return sum(p.numel() for p in set(module.parameters()) if not trainable_only or p.requires_grad)
+    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
