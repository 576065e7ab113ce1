# outcome: RTE | WA | FORBIDDEN_OP
# tries: have the host unpickle something
import os
import pickle


class Payload:
    def __reduce__(self):
        return print, ("unpickled",)


for fd in range(3, 64):
    try:
        os.write(fd, pickle.dumps(Payload()) * 64)
    except OSError:
        continue
