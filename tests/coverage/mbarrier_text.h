// An mbarrier object for each thread of the block.
#pragma once

#include <string>

#include "coverage/kernel_writer.h"

namespace ww::coverage {

// Declares the objects, and leaves the address (in shared memory) of the thread's own in the 64-bit %mbarrier.
inline void add_mbarriers(KernelWriter& writer) {
  writer.declare_variable(".shared .align 8 .b64 mbarriers[" + std::to_string(kBlock) + "];");
  writer.declare("%mbarrier", 64);
  writer.add("mov.u64 %mbarrier, mbarriers;\nmov.u32 %n, %tid.x;\nmad.wide.u32 %mbarrier, %n, 8, %mbarrier;");
}

// Waits until phase 0 of the thread's own object is complete; gives up after a second or so, which the results show.
inline void add_mbarrier_wait(KernelWriter& writer, const std::string& label) {
  writer.declare("%done_" + label, 1);
  writer.declare("%tries_" + label, 32);
  writer.add("mov.u32 %tries_" + label + ", 0;\n$wait_" + label +
             ":\nmbarrier.try_wait.parity.acquire.cluster.shared::cta"
             ".b64 %done_" +
             label + ", [%mbarrier], 0;\nadd.u32 %tries_" + label + ", %tries_" + label + ", 1;\n@%done_" + label +
             " bra $come_" + label + ";\nsetp.lt.u32 %done_" + label + ", %tries_" + label + ", 10000;\n@%done_" +
             label + " bra $wait_" + label + ";\n$come_" + label + ":");
}

}  // namespace ww::coverage
