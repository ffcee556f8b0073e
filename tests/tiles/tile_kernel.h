// PTX of the kernels that run tiles of a form.
#pragma once

#include <string>

#include "tiles/tile_form.h"

namespace ww::tiles {

// A batch is kBatchPairs pairs of tiles. The two steps of a pair have the same A and B; the second one's C is the first
// one's D, changed as `Tile::turn` says.
constexpr uint32_t kBatchPairs = 2048, kBatchTiles = 2 * kBatchPairs;

// Entry `hash(.param .u64 out, .param .u32 first)`: one warp a block, one batch a warp; makes the operands of batch
// first + %ctaid.x in registers. Lane l of block b leaves its hash of all results at out[32 b + l], 64 bits.
std::string hash_kernel(const TileForm& form);

// Entry `tiles(.param .u64 in, .param .u64 out)`: one warp a block, one pair a block. Word w of lane l of block b lies
// at in[(operand_words b + w) 32 + l]; results at out[((2 b + step) d.words + w) 32 + l]. Entries `tiles0`, `tiles1`
// ... where the form has sparsity selectors.
std::string tiles_kernel(const TileForm& form);

// The selector of a pair's steps.
constexpr uint32_t selector_of(const TileForm& form, uint32_t pair) {
  return form.selectors == 0 ? 0 : pair % form.selectors;
}

}  // namespace ww::tiles
