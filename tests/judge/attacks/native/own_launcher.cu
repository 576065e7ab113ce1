// verdict: CE | FORBIDDEN_OP
// trick: It defines the launcher a second time.
namespace judge {
class Call;
}
void launch(judge::Call&) {}
