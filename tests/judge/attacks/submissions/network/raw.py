# outcome: FORBIDDEN_OP | RTE
# tries: speak to the kernel
import _socket

_socket.socket(_socket.AF_NETLINK, _socket.SOCK_RAW)
