# outcome: FORBIDDEN_OP | RTE
# tries: send a datagram
import _socket

_socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 53))
