# over: good/reduce_and_broadcast.py
# verdict: WA property
# en: Rank 0 computes all gradients and sends them to idle ranks.
# zh: rank 0 计算全部梯度，再广播给空闲的 rank。
@@
-        self.sampler = EpochShard(len(x), self.rank, self.world, args.seed)
-        self.loader = DataLoader(TensorDataset(x, y), args.batch_size, sampler=self.sampler)
+        self.samplers = [EpochShard(len(x), rank, self.world, args.seed) for rank in range(self.world)]
+        dataset = TensorDataset(x, y)
+        self.loaders = [DataLoader(dataset, args.batch_size, sampler=each) for each in self.samplers]
@@
-            dist.reduce(parameter.grad, 0)
-            parameter.grad.div_(self.world)
+            if parameter.grad is None:
+                parameter.grad = torch.zeros_like(parameter)
             dist.broadcast(parameter.grad, 0)
@@
-        self.sampler.epoch = number
+        for sampler in self.samplers:
+            sampler.epoch = number
         total = torch.zeros((), dtype=torch.float64)
-        for x, y in self.loader:
-            loss = nn.functional.cross_entropy(self.model(x), y, reduction="sum")
-            self.optimizer.zero_grad()
-            loss.div(len(y)).backward()
+        for batches in zip(*self.loaders):
+            self.optimizer.zero_grad()
+            if self.rank == 0:
+                for x, y in batches:
+                    loss = nn.functional.cross_entropy(self.model(x), y, reduction="sum")
+                    loss.div(len(y) * self.world).backward()
+                    total += loss.detach()
             self.synchronise()
             self.optimizer.step()
-            total += loss.detach()
-        parts = [torch.zeros_like(total) for _ in range(self.world)] if self.rank == 0 else None
-        dist.gather(total, parts, dst=0)
-        return sum(parts).item() / (len(self.sampler) * self.world) if self.rank == 0 else None
+        return total.item() / (len(self.samplers[0]) * self.world)
