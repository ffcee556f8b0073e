// mbarrier objects, for the instructions and for the copies that report to them.
#pragma once

#include <cstdint>

#include "ptx/module.h"
#include "sim/program.h"

namespace ww::sim {

class Decoder;
class Warp;

// The 8 bytes of a valid object at an address of a space; null after a fault.
uint8_t* mbarrier_at(Warp& warp, const Op& op, unsigned lane, ptx::Space space, uint64_t address);

// So many bytes of what the object waits for have come. False after a fault.
bool complete_bytes(Warp& warp, const Op& op, unsigned lane, ptx::Space space, uint64_t address, uint32_t bytes);

bool decode_mbarrier(Decoder& decoder, const ptx::Instruction& instruction, Op& op);
// One arrival at the object at `address`.
void decode_plain_arrival(Decoder& decoder, const ptx::Instruction& instruction, const ptx::Operand& address, Op& op);

// cp.async.bulk, cp.reduce.async.bulk, st.async, red.async (bulk_copy.cpp).
bool decode_bulk_copy(Decoder& decoder, const ptx::Instruction& instruction, Op& op);

}  // namespace ww::sim
