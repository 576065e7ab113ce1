// Registers all kernels with torch's dispatcher, in the given namespace.
//
// Registration is not done at load time, as by STABLE_TORCH_LIBRARY_IMPL: Python chooses between
// the public operators and others with the same schemas.
#include <exception>
#include <string>

#include "operators.h"

// Returns null, or an error message; the text is valid until the next call.
extern "C" __attribute__((visibility("default"))) const char* torchstone_register(
    const char* space) {
    static std::string error;
    try {
        using torch::stable::detail::StableTorchLibraryInit;
        // Never deleted: the destructor would deregister the kernels.
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
