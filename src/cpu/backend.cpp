// The shared library's one exported function.
#include "device/backend.h"

#include "cpu/cpu_device.h"

WW_EXPORT_BACKEND(ww::cpu::list_devices, ww::cpu::open_device)
