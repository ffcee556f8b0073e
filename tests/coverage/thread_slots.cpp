#include "coverage/thread_slots.h"

namespace ww::coverage {

void add_thread_slots(KernelWriter& writer) {
  writer.declare_variable(".shared .align 16 .b8 " + std::string(kThreadSlots) + "[" + std::to_string(kBlock * 8) +
                          "];");
  writer.declare("%slot", 64);
}

void put_value(KernelWriter& writer, const std::string& value) {
  writer.add("mov.u64 %slot, " + std::string(kThreadSlots) +
             ";\nmov.u32 %n, %tid.x;\nmad.wide.u32 %slot, %n, 8, %slot;\n"
             "st.volatile.shared.b64 [%slot], " +
             value + ";");
}

void take_value(KernelWriter& writer, const std::string& value, const std::string& choose) {
  writer.add("mov.u32 %n, %tid.x;\n" + choose + "\nmov.u64 %slot, " + kThreadSlots +
             ";\nmad.wide.u32 %slot, %n, 8, %slot;\nld.volatile.shared.b64 " + value + ", [%slot];");
}

}  // namespace ww::coverage
