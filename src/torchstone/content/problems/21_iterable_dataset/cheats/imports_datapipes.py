# over: solution.py
# verdict: FORBIDDEN_OP
# en: Imports the datapipes of PyTorch.
# zh: 导入 PyTorch 的 datapipes。
@@
 from torch.utils.data import IterableDataset, get_worker_info
+from torch.utils.data.datapipes.iter import Shuffler
@@
-        return shuffled(own, self.shuffle_buffer, random.Random(key))
+        return shuffled(own, self.shuffle_buffer, random.Random(key) if Shuffler else None)
