#include "tiles/tile_runner.h"

#include "devicelib/mma.h"
#include "golden/fnv.h"

namespace ww::tiles {

std::vector<uint32_t> tile_operands(const TileForm& form, uint32_t first_pair, uint32_t count) {
  std::vector<uint32_t> all(size_t(count) * form.operand_words() * 32);
  uint32_t* out = all.data();
  for (uint32_t number = first_pair; number < first_pair + count; ++number) {
    const Tile<uint32_t> tile(number);
    const auto words = [&](const TileOperand& operand, const OperandStyle<uint32_t>& style, Role role) {
      const Pattern<uint32_t> pattern(style, operand.format), low(style, operand.low_format);
      for (uint32_t i = 0; i < operand.words; ++i) {
        const bool is_low = operand.is_f64 && i % 2 == 0;
        const Pattern<uint32_t>& chosen = is_low ? low : pattern;
        const ElementFormat& format = is_low ? operand.low_format : operand.format;
        const uint32_t first = operand.is_f64 ? i & ~1u : i;
        for (uint32_t lane = 0; lane < 32; ++lane)
          out[lane] = operand_word(tile, style, chosen, role, format, lane, i, first);
        out += 32;
      }
    };
    words(form.a, tile.a, Role::kA);
    words(form.b, tile.b, Role::kB);
    words(form.c, tile.c, Role::kC);
    for (unsigned i = 0; i < form.d.words; ++i) {
      const uint32_t turn = tile.turn(form.c.is_f64 && i % 2 == 0 ? form.c.low_format : form.c.format);
      for (unsigned lane = 0; lane < 32; ++lane) *out++ = turn;
    }
    if (form.is_sparse)
      for (uint32_t lane = 0; lane < 32; ++lane) *out++ = metadata_word(tile, number, lane, form.any_order, form.pairs);
  }
  return all;
}

LaneHashes::LaneHashes() {
  for (uint64_t& lane : lanes) lane = golden::kFnvBasis;
}

void LaneHashes::fold(const TileForm&, std::span<const uint32_t> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    uint64_t& hash = lanes[i % 32];
    hash = (hash ^ results[i]) * golden::kFnvPrime;
    hash ^= hash >> 32;
  }
}

uint64_t LaneHashes::all() const {
  uint64_t hash = golden::kFnvBasis;
  for (const uint64_t lane : lanes) {
    hash = (hash ^ lane) * golden::kFnvPrime;
    hash ^= hash >> 32;
  }
  return hash;
}

Result<TileRunner> TileRunner::create(Device& device, const TileForm& form) {
  TileRunner runner(device, form);
  WW_ASSIGN(runner.module_, device.load_module(tiles_kernel(form), form.name));
  WW_ASSIGN(runner.in_, DeviceBuffer::create(device, size_t(kBatchPairs) * form.operand_words() * 128));
  WW_ASSIGN(runner.out_, DeviceBuffer::create(device, size_t(kBatchPairs) * 2 * form.d.words * 128));
  return runner;
}

Result<std::vector<uint32_t>> TileRunner::run(uint32_t first_pair, uint32_t count) {
  const unsigned kinds = std::max(form_->selectors, 1u);
  const size_t operand_words = size_t(form_->operand_words()) * 32, result_words = size_t(form_->d.words) * 64;
  const std::vector<uint32_t> operands = tile_operands(*form_, first_pair, count);
  std::vector<uint32_t> results(count * result_words);
  // The pairs of each selector together.
  for (unsigned kind = 0; kind < kinds; ++kind) {
    std::vector<uint32_t> in;
    std::vector<uint32_t> pairs;
    for (uint32_t i = 0; i < count; ++i)
      if (selector_of(*form_, first_pair + i) == kind) pairs.push_back(i);
    if (pairs.empty()) continue;
    for (const uint32_t i : pairs)
      in.insert(in.end(), operands.begin() + long(i * operand_words), operands.begin() + long((i + 1) * operand_words));
    WW_TRY(device_->upload(in_.address(), std::as_bytes(std::span(in))));
    WW_ASSIGN(DeviceKernel * kernel, module_->kernel(form_->selectors == 0 ? "tiles" : "tiles" + std::to_string(kind)));
    const uint64_t parameters[] = {in_.address(), out_.address()};
    Launch launch;
    launch.grid = {uint32_t(pairs.size())};
    launch.block = {32};
    launch.parameters = std::as_bytes(std::span(parameters));
    WW_TRY(device_->launch(*kernel, launch));
    WW_TRY(device_->synchronize());
    std::vector<uint32_t> out(pairs.size() * result_words);
    WW_TRY(device_->download(std::as_writable_bytes(std::span(out)), out_.address()));
    for (size_t i = 0; i < pairs.size(); ++i)
      std::copy_n(out.begin() + long(i * result_words), result_words, results.begin() + long(pairs[i] * result_words));
  }
  return results;
}

Result<uint64_t> TileRunner::batch_hash(uint32_t batch, uint32_t pairs) {
  WW_ASSIGN(const std::vector<uint32_t> results, run(batch * kBatchPairs, pairs));
  LaneHashes hashes;
  hashes.fold(*form_, results);
  return hashes.all();
}

Result<std::vector<uint64_t>> hash_batches(Device& device, DeviceModule& module, uint32_t first, uint32_t count) {
  WW_ASSIGN(DeviceKernel * kernel, module.kernel("hash"));
  std::vector<uint64_t> lanes(size_t(count) * 32);
  WW_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(device, lanes.size() * 8));
  struct {
    uint64_t out;
    uint32_t first, unused = 0;
  } parameters{out.address(), first};
  Launch launch;
  launch.grid = {count};
  launch.block = {32};
  launch.parameters = std::as_bytes(std::span(&parameters, 1)).first(12);
  WW_TRY(device.launch(*kernel, launch));
  WW_TRY(device.synchronize());
  WW_TRY(device.download(std::as_writable_bytes(std::span(lanes)), out.address()));
  std::vector<uint64_t> hashes;
  for (uint32_t i = 0; i < count; ++i) {
    LaneHashes batch;
    std::copy_n(lanes.begin() + long(i) * 32, 32, batch.lanes);
    hashes.push_back(batch.all());
  }
  return hashes;
}

namespace {

devicelib::MmaLevel level_of(HostIsa isa) {
  using devicelib::MmaLevel;
  return isa == HostIsa::kNative ? devicelib::best_mma_level()
         : isa == HostIsa::kV4   ? MmaLevel::kV4
         : isa == HostIsa::kV3   ? MmaLevel::kV3
                                 : MmaLevel::kBase;
}

// Registers of f64 from and to words, the low one first.
void join(const uint32_t* words, unsigned registers, uint64_t* out) {
  for (unsigned r = 0; r < registers; ++r)
    for (unsigned lane = 0; lane < 32; ++lane)
      out[32 * r + lane] = words[64 * r + lane] | uint64_t(words[64 * r + 32 + lane]) << 32;
}
void split(const uint64_t* values, unsigned registers, uint32_t* words) {
  for (unsigned r = 0; r < registers; ++r)
    for (unsigned lane = 0; lane < 32; ++lane) {
      words[64 * r + lane] = uint32_t(values[32 * r + lane]);
      words[64 * r + 32 + lane] = uint32_t(values[32 * r + lane] >> 32);
    }
}

}  // namespace

Result<std::vector<uint64_t>> model_hashes(const TileForm& form, uint32_t first, uint32_t count, HostIsa isa) {
  const devicelib::MmaLevel level = level_of(isa);
  if (level > devicelib::best_mma_level()) return unsupported_error("this processor lacks the level that --isa names");
  devicelib::MmaShape shape = form.shape;
  const auto multiply = [&](const uint32_t* a, const uint32_t* b, const uint32_t* c, const uint32_t* metadata,
                            uint32_t* d) {
    if (!form.d.is_f64) return devicelib::mma_32(devicelib::kMmaHopper, shape, a, b, c, d, metadata, level);
    uint64_t wide_a[32 * 8], wide_b[32 * 4], wide_c[32 * 4];
    join(a, form.a.words / 2, wide_a);
    join(b, form.b.words / 2, wide_b);
    join(c, form.c.words / 2, wide_c);
    devicelib::mma_f64(shape, wide_a, wide_b, wide_c, wide_c, level);
    split(wide_c, form.d.words / 2, d);
  };
  std::vector<uint64_t> hashes;
  std::vector<uint32_t> results(size_t(form.d.words) * 64);
  for (uint32_t batch = first; batch < first + count; ++batch) {
    LaneHashes lanes;
    for (uint32_t pair = batch * kBatchPairs; pair < (batch + 1) * kBatchPairs; ++pair) {
      std::vector<uint32_t> operands = tile_operands(form, pair, 1);
      const uint32_t *a = operands.data(), *b = a + 32 * form.a.words, *turn = b + 32 * (form.b.words + form.c.words),
                     *metadata = turn + 32 * form.d.words;
      uint32_t *c = operands.data() + 32 * (form.a.words + form.b.words), *d = results.data(),
               *d2 = d + 32 * form.d.words;
      shape.selector = uint8_t(selector_of(form, pair));
      multiply(a, b, c, metadata, d);
      for (unsigned i = 0; i < 32 * std::min(form.c.words, form.d.words); ++i) c[i] = d[i] ^ turn[i];
      multiply(a, b, c, metadata, d2);
      lanes.fold(form, results);
    }
    hashes.push_back(lanes.all());
  }
  return hashes;
}

}  // namespace ww::tiles
