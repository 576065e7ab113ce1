# over: solution.py
# verdict: FORBIDDEN_OP
# en: Lets torch.distributed.rpc hold the parameters and answer the workers.
# zh: 让 torch.distributed.rpc 保存参数并回答 worker。
@@
 import torch
+import torch.distributed.rpc as rpc
@@
-        return self._ask("pull")
+        return rpc.rpc_sync("server", ParameterServer.pull, args=(0,))
