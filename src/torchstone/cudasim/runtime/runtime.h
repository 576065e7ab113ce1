// What the files of the runtime that see the API share.
#pragma once

#include "machine.h"

#include "cusim/launch.h"
#include "cusim/runtime_api.h"

namespace cusim {
// Keep an error for cudaGetLastError and give it back; after a fault of a kernel every call gives
// that.
cudaError_t note(cudaError_t error);
// The same for what ended a launch: most of that spoils the device until it is reset.
cudaError_t note_launch(cudaError_t error);
cudaError_t sticky_error();
bool is_stream(const void* stream);
// The same for a stream that receives work; an active watch counts it.
bool takes_work(const void* stream);
// A copy goes to the memory of the host.
void leaves_device();
// Why a launch is refused: the error that a card gives; cudaSuccess if it is not.
cudaError_t refuse_launch(const char* name, const void* identity, dim3 grid, dim3 block,
                          size_t shared_bytes, bool cooperative);
}  // namespace cusim
