// verdict: CE
// trick: It imports a header as a module.
import <fstream>;
