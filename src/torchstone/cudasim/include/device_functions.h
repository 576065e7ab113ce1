// Alias header for programs that include this name.
#pragma once

#include "cuda_runtime.h"
