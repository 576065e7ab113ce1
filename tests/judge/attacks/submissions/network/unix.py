# outcome: FORBIDDEN_OP | RTE
# tries: speak to a socket of the host
import _socket

_socket.socket(_socket.AF_UNIX).connect("\0torchstone")
