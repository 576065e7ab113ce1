// The runtime API and the device functions; included before every program in any case.
#pragma once

#include "cusim/cusim.h"
