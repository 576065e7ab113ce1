# over: solution.py
# verdict: FORBIDDEN_OP
# en: Lets the datapipes of PyTorch shard and shuffle.
# zh: 让 PyTorch 的 datapipes 来分片和打乱。
@@
-        return shuffled(own, self.shuffle_buffer, random.Random(key))
+        pipe = torch.utils.data.datapipes.iter.IterableWrapper(own)
+        return iter(pipe.shuffle(buffer_size=self.shuffle_buffer).set_seed(hash(key)))
