// Alias header for programs that include this name.
#pragma once

#include "cuda_bf16.h"
