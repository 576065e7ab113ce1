// Registers all kernels with torch's dispatcher, in the given namespace.
//
// Not when the library is loaded, as STABLE_TORCH_LIBRARY_IMPL would: Python chooses between the
// operators that programs call and others of the same schemas.
#include <exception>
#include <string>

#include "operators.h"

// Null, or what is wrong; the text stays until the next call.
extern "C" __attribute__((visibility("default"))) const char* torchstone_register(
    const char* space) {
    static std::string error;
    try {
        using torch::stable::detail::StableTorchLibraryInit;
        // Never deleted: that would take the kernels out of the dispatcher.
        new StableTorchLibraryInit(
            torchstone::Operators::Kind::IMPL,
            [](torchstone::Operators& m) {
                torchstone::register_attention(m);
                torchstone::register_blocks(m);
                torchstone::register_losses(m);
                torchstone::register_norms(m);
                torchstone::register_pointwise(m);
            },
            space, "CPU", __FILE__, __LINE__);
    } catch (const std::exception& caught) {
        error = caught.what();
        return error.c_str();
    }
    return nullptr;
}
