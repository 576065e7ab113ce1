# outcome: FORBIDDEN_OP | RTE
# tries: open sockets from torch's own C++
import datetime

import torch.distributed as dist

dist.TCPStore("127.0.0.1", 0, 1, True, datetime.timedelta(seconds=1))
