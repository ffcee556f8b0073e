// mma: registers of fragments in memory, so that a chain of steps need not move them.
//
// Within a block, fragments of A that were stored once are used again by all steps that take them, and a step whose C
// is the D of an earlier one works in place. Loads of D that nobody needs are dropped by LLVM.
#include "cpu/vectorizer.h"
#include "devicelib/mma_shape.h"

namespace ww::cpu {

// Scratch memory: B, and what has no home, at the front; homes behind.
constexpr uint64_t kHomesAt = 4096, kHomesEnd = 64 * 1024;

uint64_t FunctionVectorizer::new_home(uint64_t bytes) {
  if (homes_end_ < kHomesAt) homes_end_ = kHomesAt;
  if (homes_end_ + bytes > kHomesEnd) return 0;
  homes_end_ += bytes;
  return homes_end_ - bytes;
}

uint64_t FunctionVectorizer::spill_all(llvm::ArrayRef<Value*> values, uint64_t offset) {
  for (const Value* value : values) offset = spill(value, 0, offset);
  return offset;
}

// "mma.m16n8k16.row.col.f32.f16.f16.f32" of the registers of a, b and c, and of the metadata of a sparse a.
Status FunctionVectorizer::emit_mma(llvm::CallInst& call, llvm::StringRef name) {
  devicelib::MmaShape shape;
  if (!devicelib::mma_shape(name.drop_front(4).str().c_str(), shape))
    return unsupported_error("matrix step " + name.str() + " is not supported");
  shape.ada = state_.options.ada;
  const unsigned a_count = unsigned(mma_a_registers(shape)), b_count = unsigned(mma_b_registers(shape)),
                 c_count = unsigned(mma_c_registers(shape)), d_count = field_count(call.getType());
  const llvm::SmallVector<Value*, 24> arguments(call.args());
  const llvm::ArrayRef<Value*> all = arguments;
  const auto a = all.take_front(a_count), c = all.slice(a_count + b_count, c_count);
  // The metadata stand behind b.
  llvm::SmallVector<Value*, 8> b(all.slice(a_count, b_count));
  b.append(all.begin() + a_count + b_count + c_count, all.end());
  const auto bytes_of = [&](llvm::ArrayRef<Value*> values) {
    uint64_t bytes = 0;
    for (const Value* value : values)
      bytes += warp_array_bytes(layout_.getTypeStoreSize(element(value->getType())).getFixedValue());
    return bytes;
  };
  uint64_t transient = 0;
  uint64_t a_at;
  const std::vector<Value*> a_key(a.begin(), a.end());
  if (const auto known = fragment_homes_.find(a_key); known != fragment_homes_.end()) {
    a_at = known->second;
  } else {
    a_at = new_home(bytes_of(a));
    if (a_at == 0) {
      transient = spill_all(a, 0);
    } else {
      spill_all(a, a_at);
      fragment_homes_[a_key] = a_at;
    }
  }
  const uint64_t b_at = transient;
  transient = spill_all(b, b_at);

  // The step whose D, as a whole and in order, is this C.
  const llvm::CallInst* earlier = nullptr;
  for (unsigned i = 0; i < c_count && c_count == d_count; ++i) {
    const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(c[i]);
    const auto* from = part != nullptr && part->getIndices()[0] == i
                           ? llvm::dyn_cast<llvm::CallInst>(part->getAggregateOperand())
                           : nullptr;
    if (from == nullptr || (i != 0 && from != earlier)) {
      earlier = nullptr;
      break;
    }
    earlier = from;
  }
  uint64_t c_at = 0;
  if (const auto home = result_homes_.find(earlier); earlier != nullptr && home != result_homes_.end()) {
    c_at = home->second;
    result_homes_.erase(home);
    result_homes_[&call] = c_at;
  } else {
    // D takes C's place.
    c_at = new_home(bytes_of(c) * std::max(d_count, c_count) / c_count);
    if (c_at != 0)
      result_homes_[&call] = c_at;
    else
      c_at = transient;
    spill_all(c, c_at);
  }
  Type* pointer = builder_.getPtrTy();
  llvm::FunctionCallee function = state_.module.getOrInsertFunction(
      ((state_.options.fast  ? "cpu.fast."
        : state_.options.ada ? "cpu.ada."
                             : "cpu.") +
       name)
          .str(),
      llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer, pointer, pointer, builder_.getInt32Ty()},
                              false));
  builder_.CreateCall(function, {scratch(a_at), scratch(b_at), scratch(c_at), scratch(c_at),
                                 builder_.getInt32(devicelib::pack_shape(shape))});
  uint64_t offset = c_at;
  for (unsigned field = 0; field < d_count; ++field) {
    Type* type = element(field_type(call.getType(), field));
    set_whole(call, field, [&](int strip) { return reload(at(type, strip), offset, strip); });
    offset += warp_array_bytes(layout_.getTypeStoreSize(type).getFixedValue());
  }
  return {};
}

}  // namespace ww::cpu
