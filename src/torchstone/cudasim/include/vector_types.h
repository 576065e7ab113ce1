// Found under this name by programs that include it; everything is in one place.
#pragma once

#include "cusim/vector_types.h"
