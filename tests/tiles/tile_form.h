// The forms of mma, and what their registers hold.
#pragma once

#include <string>
#include <vector>

#include "coverage/forms.h"
#include "devicelib/mma_shape.h"
#include "tiles/operands.h"

namespace ww::tiles {

// A matrix operand in the registers of one lane, counted in 32-bit words; a register of f64 is two, the low one first.
struct TileOperand {
  unsigned words = 0;
  bool is_f64 = false;
  ElementFormat format;      // of f64: of the high word
  ElementFormat low_format;  // of f64
};

struct TileForm {
  std::string name;  // "mma.sync.aligned. ..."
  TileOperand a, b, c, d;
  bool is_sparse = false, any_order = false, pairs = false;  // as `metadata_word` takes them
  unsigned selectors = 0;                                    // sparsity selectors that sm_90 takes: 0 .. selectors - 1
  devicelib::MmaShape shape;                                 // selector 0
  bool is_tensor_core = true;  // false: NVIDIA's assembler makes it of other instructions for sm_90

  // Words of one lane of one tile: A, B, C, what a second step's C differs by from D, metadata.
  unsigned operand_words() const { return a.words + b.words + c.words + d.words + (is_sparse ? 1 : 0); }
};

// All forms that are legal for sm_90, in the table's order.
std::vector<TileForm> tile_forms();

}  // namespace ww::tiles
