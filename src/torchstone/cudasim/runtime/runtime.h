// Shared by the runtime's files that implement the API.
#pragma once

#include "machine.h"

#include "cusim/launch.h"
#include "cusim/runtime_api.h"

namespace cusim {
// Records an error for cudaGetLastError and returns it; after a kernel fault every call returns the
// fault.
cudaError_t note(cudaError_t error);
// The same for errors that end a launch: most of them invalidate the device until a reset.
cudaError_t note_launch(cudaError_t error);
cudaError_t sticky_error();
bool is_stream(const void* stream);
// The same for a stream that receives work; an active watch counts it.
bool takes_work(const void* stream);
// Notes a copy to host memory.
void leaves_device();
// The error for which a GPU refuses a launch; cudaSuccess if it is valid.
cudaError_t refuse_launch(const char* name, const void* identity, dim3 grid, dim3 block,
                          size_t shared_bytes, bool cooperative);
}  // namespace cusim
