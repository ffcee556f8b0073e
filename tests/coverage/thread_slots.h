// Eight bytes of shared memory for each thread of a block, through which threads pass values to each other.
#pragma once

#include <string>

#include "coverage/kernel_writer.h"

namespace ww::coverage {

inline constexpr const char* kThreadSlots = "slots";  // name of the variable

void add_thread_slots(KernelWriter& writer);
// The value of a 64-bit register goes into the thread's own slot.
void put_value(KernelWriter& writer, const std::string& value);
// The slot of another thread into a 64-bit register: `choose` makes its number from the own one in %n.
void take_value(KernelWriter& writer, const std::string& value, const std::string& choose);

}  // namespace ww::coverage
