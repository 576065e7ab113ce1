# outcome: FORBIDDEN_OP
# tries: call the builtin in a thread without dispatch modes
import threading

import torch


def softmax(x, dim=-1, dtype=None):
    found = []
    with torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction():
        thread = threading.Thread(target=lambda: found.append(torch.softmax(x, dim)))
        thread.start()
        thread.join()
    return found[0]
