// Found under this name by programs that include it; everything is in one place.
#pragma once

#include "cuda_runtime.h"
