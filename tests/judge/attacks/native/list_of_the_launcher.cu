// verdict: CE | FORBIDDEN_OP
// trick: It defines the function of the C++ library by which the launcher keeps its buffers.
namespace std::__detail {
struct _List_node_base {
    void _M_hook(_List_node_base* before) noexcept;
    _List_node_base *next, *previous;
};
// The buffer lies behind the links: its address, its size, and how many bytes are before it.
void _List_node_base::_M_hook(_List_node_base* before) noexcept {
    next = before;
    previous = before->previous;
    before->previous = previous->next = this;
    printf("a buffer at %p\n", ((void**)this)[2]);
}
}  // namespace std::__detail
