// Sixteen bytes for each thread in a state space: what memory forms read, write and update.
#pragma once

#include <string>

#include "coverage/kernel_writer.h"

namespace ww::coverage {

constexpr unsigned kRecordBytes = 16;

// Each adds the text that leaves the record's address in the 64-bit register `address`, which it declares.

// A record whose content the thread has put there: for global and generic memory words 2t and 2t + 1 of the operands
// (two columns are added), elsewhere a copy of them; constant memory has what kParameterBlock has. False: parameters
// are no such space.
bool add_filled_record(KernelWriter& writer, ptx::Space space, const std::string& address);

// A record that may be written, in the results (global, generic), shared or local memory; its bytes are 0xc9.
// `add_record_results` afterwards adds two result columns that hold it.
bool add_writable_record(KernelWriter& writer, ptx::Space space, const std::string& address);
void add_record_results(KernelWriter& writer, ptx::Space space, const std::string& address);

}  // namespace ww::coverage
