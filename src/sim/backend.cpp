#include "device/backend.h"

#include "sim/sim.h"

WW_EXPORT_BACKEND(ww::sim::list, ww::sim::open)
