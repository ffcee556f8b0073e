// What crosses lanes or depends on the machine: the ww.* functions of docs/lower-ir.md.
//
// Reading a register of the machine, votes and shuffles by a known distance are a few instructions here. The rest goes
// through scratch memory: arguments are stored as arrays of 32, a runtime function (runtime_table.h) works on them for
// the whole warp, and the results are loaded again.
#include "cpu/vectorizer.h"
#include "devicelib/mma_shape.h"
#include "lower/intrinsics.h"

namespace ww::cpu {

llvm::Value* FunctionVectorizer::scratch(uint64_t offset) {
  if (scratch_ == nullptr) {
    llvm::IRBuilder<> builder(entry_, entry_->begin());
    scratch_ = builder.CreateAlloca(builder.getInt8Ty(), nullptr, "scratch");
    scratch_->setAlignment(llvm::Align(64));
  }
  scratch_bytes_ = std::max(scratch_bytes_, offset + 256);
  return offset == 0 ? scratch_ : builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), scratch_, offset);
}

uint64_t FunctionVectorizer::spill(const Value* value, unsigned field, uint64_t offset) {
  Type* type = element(field_type(value->getType(), field));
  const bool is_bit = type->isIntegerTy(1);
  const uint64_t size = is_bit ? 1 : layout_.getTypeStoreSize(type).getFixedValue();
  for (int s = 0; s < int(strips_); ++s) {
    Value* strip = get(value, s, field);
    if (is_bit) strip = builder_.CreateZExt(strip, vector_of(builder_.getInt8Ty()));
    builder_.CreateAlignedStore(strip, scratch(offset + uint64_t(s) * lanes_ * size),
                                llvm::Align(std::min<uint64_t>(64, lanes_ * size)));
  }
  return offset + warp_array_bytes(size);
}

llvm::Value* FunctionVectorizer::reload(Type* emitted, uint64_t offset, int strip) {
  Type* scalar = emitted->getScalarType();
  const bool is_bit = scalar->isIntegerTy(1);
  Type* stored = is_bit ? builder_.getInt8Ty() : scalar;
  const uint64_t size = layout_.getTypeStoreSize(stored).getFixedValue();
  Value* loaded;
  if (strip == kUniformStrip) {
    Value* lane =
        builder_.CreateIntrinsic(llvm::Intrinsic::cttz, {builder_.getInt32Ty()}, {mask_bits(), builder_.getTrue()});
    loaded = builder_.CreateLoad(stored, builder_.CreateGEP(stored, scratch(offset), lane));
  } else {
    loaded = builder_.CreateAlignedLoad(vector_of(stored), scratch(offset + uint64_t(strip) * lanes_ * size),
                                        llvm::Align(std::min<uint64_t>(64, lanes_ * size)));
  }
  return is_bit ? builder_.CreateICmpNE(loaded, llvm::Constant::getNullValue(loaded->getType())) : loaded;
}

void FunctionVectorizer::set_whole(Instruction& instruction, unsigned field, const std::function<Value*(int)>& make) {
  if (!in_strips(&instruction)) {
    set(&instruction, kUniformStrip, make(kUniformStrip), field);
    return;
  }
  for (int s = 0; s < int(strips_); ++s) set(&instruction, s, make(s), field);
}

// A thread's index in its block. Threads are numbered x first.
llvm::Value* FunctionVectorizer::thread_index(unsigned axis, int strip) {
  const std::array<uint32_t, 3>& block = state_.options.block;
  Value* first = context_field(offsetof(WarpContext, first_thread), builder_.getInt32Ty());
  const auto number = [&](uint32_t value) -> Value* {
    Value* scalar = builder_.getInt32(value);
    return strip == kUniformStrip ? scalar : splat(scalar);
  };
  Value* linear = first;
  // Rows that are multiples of a warp: a warp lies in one row.
  const bool one_row = block[0] % kWarpLanes == 0;
  if (axis == 0 && one_row) return builder_.CreateURem(first, builder_.getInt32(block[0]));  // lane 0 of a row
  if (strip != kUniformStrip && !one_row)
    linear = builder_.CreateAdd(splat(first), lane_numbers(strip));
  else if (strip != kUniformStrip)
    linear = splat(first);
  if (axis == 0) return block[1] * block[2] == 1 ? first : builder_.CreateURem(linear, number(block[0]));
  linear = builder_.CreateUDiv(linear, number(axis == 1 ? block[0] : block[0] * block[1]));
  return axis == 1 && block[2] != 1 ? builder_.CreateURem(linear, number(block[1])) : linear;
}

Status FunctionVectorizer::emit_vote(llvm::CallInst& call, llvm::StringRef kind) {
  Value* bits = bits_of(call.getArgOperand(0));
  Value* active = mask_bits();
  set_whole(call, 0, [&](int strip) -> Value* {
    const auto spread = [&](Value* scalar) { return strip == kUniformStrip ? scalar : splat(scalar); };
    Value* members = builder_.CreateAnd(spread(active), get(call.getArgOperand(1), strip));
    Value* yes = builder_.CreateAnd(spread(bits), members);
    Value* zero = llvm::Constant::getNullValue(yes->getType());
    if (kind == "ballot") return yes;
    if (kind == "all") return builder_.CreateICmpEQ(yes, members);
    if (kind == "any") return builder_.CreateICmpNE(yes, zero);
    return builder_.CreateOr(builder_.CreateICmpEQ(yes, members), builder_.CreateICmpEQ(yes, zero));
  });
  return {};
}

// PTX manual, "shfl.sync": the lane that is read, and whether it is in range; out of range a lane reads itself.
Status FunctionVectorizer::emit_shuffle(llvm::CallInst& call, llvm::StringRef kind) {
  std::array<Value*, 8> from{}, in_range{};
  bool all_constant = true;
  for (int s = 0; s < int(strips_); ++s) {
    Value* b = get(call.getArgOperand(1), s);
    Value* c = get(call.getArgOperand(2), s);
    const auto number = [&](uint32_t value) { return splat(builder_.getInt32(value)); };
    Value* lane = lane_numbers(s);
    Value* distance = builder_.CreateAnd(b, number(31));
    Value* clamp = builder_.CreateAnd(c, number(31));
    Value* segment = builder_.CreateAnd(builder_.CreateLShr(c, number(8)), number(31));
    Value* outside = builder_.CreateNot(segment);
    Value* least = builder_.CreateAnd(lane, segment);
    Value* most = builder_.CreateOr(least, builder_.CreateAnd(clamp, outside));
    Value* target;
    if (kind == "up") {
      target = builder_.CreateSub(lane, distance);
      in_range[s] = builder_.CreateICmpSGE(target, most);
    } else {
      target = kind == "down"   ? builder_.CreateAdd(lane, distance)
               : kind == "bfly" ? builder_.CreateXor(lane, distance)
                                : builder_.CreateOr(least, builder_.CreateAnd(distance, outside));
      in_range[s] = builder_.CreateICmpSLE(target, most);
    }
    from[s] = builder_.CreateAnd(builder_.CreateSelect(in_range[s], target, lane), number(31));
    all_constant = all_constant && llvm::isa<llvm::Constant>(from[s]);
  }
  std::array<Value*, 8> results{};
  const Value* value = call.getArgOperand(0);
  for (int s = 0; all_constant && s < int(strips_); ++s) {
    // Elements of two strips at most: one shuffle.
    int first = -1, second = -1;
    llvm::SmallVector<int, 16> pick;
    for (unsigned i = 0; i < lanes_; ++i) {
      const auto* lane = llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::Constant>(from[s])->getAggregateElement(i));
      const int number = int(lane->getZExtValue()), strip = number / int(lanes_);
      if (first < 0 || first == strip)
        first = strip;
      else if (second < 0 || second == strip)
        second = strip;
      else
        all_constant = false;
      pick.push_back(number % int(lanes_) + (strip == first ? 0 : int(lanes_)));
    }
    if (all_constant)
      results[s] = builder_.CreateShuffleVector(get(value, first), get(value, second < 0 ? first : second), pick);
  }
  if (!all_constant) {
    spill(value, 0, 0);
    Address address{builder_.CreatePtrToInt(scratch(0), builder_.getInt64Ty()), nullptr};
    for (int s = 0; s < int(strips_); ++s) {
      address.offset = builder_.CreateShl(from[s], 2);
      results[s] = gather(builder_.getInt32Ty(), address, 0, nullptr, nullptr);
    }
  }
  for (int s = 0; s < int(strips_); ++s) {
    set(&call, s, results[s], 0);
    set(&call, s, in_range[s], 1);
  }
  return {};
}

// Functions that need no call. False: not one of them.
bool FunctionVectorizer::emit_register_call(llvm::CallInst& call, llvm::StringRef name) {
  const auto field = [&](size_t offset) {
    set(&call, kUniformStrip, context_field(offset, builder_.getInt32Ty()));
    return true;
  };
  const auto axis = [&] { return size_t(name.back() - 'x'); };
  if (name.starts_with("tid.")) {
    set_whole(call, 0, [&](int strip) { return thread_index(unsigned(axis()), strip); });
    return true;
  }
  if (name.starts_with("ctaid.")) return field(offsetof(WarpContext, ctaid) + 4 * axis());
  if (name.starts_with("nctaid.")) return field(offsetof(WarpContext, nctaid) + 4 * axis());
  if (name.starts_with("clusterid.")) return field(offsetof(WarpContext, clusterid) + 4 * axis());
  if (name.starts_with("nclusterid.")) return field(offsetof(WarpContext, nclusterid) + 4 * axis());
  if (name.starts_with("cluster_ctaid.")) return field(offsetof(WarpContext, cluster_ctaid) + 4 * axis());
  if (name.starts_with("cluster_nctaid.")) return field(offsetof(WarpContext, cluster_nctaid) + 4 * axis());
  if (name == "cluster_ctarank") return field(offsetof(WarpContext, cluster_rank));
  if (name == "cluster_nctarank") return field(offsetof(WarpContext, cluster_size));
  if (name == "mapa" || name == "getctarank") {
    set_whole(call, 0, [&](int strip) -> Value* {
      Value* address = get(call.getArgOperand(0), strip);
      Type* type = address->getType();
      const auto number = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
      if (name == "getctarank") return builder_.CreateLShr(address, number(kRankShift));
      Value* rank = builder_.CreateShl(get(call.getArgOperand(1), strip), number(kRankShift));
      return builder_.CreateOr(builder_.CreateAnd(address, number((1u << kRankShift) - 1)), rank);
    });
    return true;
  }
  if (name == "warpid") return field(offsetof(WarpContext, warp));
  if (name == "smid") return field(offsetof(WarpContext, worker));
  if (name == "nsmid") return field(offsetof(WarpContext, workers));
  if (name == "dynamic_smem_size") return field(offsetof(WarpContext, dynamic_shared));
  if (name == "total_smem_size") return field(offsetof(WarpContext, total_shared));
  if (name == "grid_workspace") {
    set(&call, kUniformStrip, context_field(offsetof(WarpContext, workspace), builder_.getInt64Ty()));
    return true;
  }
  if (name == "gridid") {
    set(&call, kUniformStrip, context_field(offsetof(WarpContext, grid), builder_.getInt64Ty()));
    return true;
  }
  if (name == "laneid") {
    set(&call, kUniformStrip, builder_.getInt32(0));  // lane 0 of a row
    return true;
  }
  if (name.starts_with("lanemask.")) {
    const llvm::StringRef kind = name.drop_front(9);
    for (int s = 0; s < int(strips_); ++s) {
      llvm::SmallVector<llvm::Constant*, 16> masks;
      for (unsigned i = 0; i < lanes_; ++i) {
        const uint64_t bit = uint64_t(1) << (unsigned(s) * lanes_ + i);
        const uint64_t mask = kind == "eq"   ? bit
                              : kind == "lt" ? bit - 1
                              : kind == "le" ? 2 * bit - 1
                              : kind == "ge" ? ~(bit - 1)
                                             : ~(2 * bit - 1);
        masks.push_back(builder_.getInt32(uint32_t(mask)));
      }
      set(&call, s, llvm::ConstantVector::get(masks));
    }
    return true;
  }
  if (name == "activemask") {
    set(&call, kUniformStrip, mask_bits());
    return true;
  }
  if (name == "barrier.warp" || name == "exit") return true;  // lanes run together; an exit's block leads to the end
  if (name == "elect") {
    Value* members = nullptr;
    for (int s = 0; s < int(strips_); ++s) {
      members = builder_.CreateAnd(splat(mask_bits()), get(call.getArgOperand(0), s));
      Value* leader =
          builder_.CreateIntrinsic(llvm::Intrinsic::cttz, {members->getType()}, {members, builder_.getFalse()});
      set(&call, s, leader, 0);
      set(&call, s, builder_.CreateICmpEQ(leader, lane_numbers(s)), 1);
    }
    return true;
  }
  if (name.starts_with("isspacep.")) {
    const llvm::StringRef space = name.drop_front(9);
    Type* i64 = builder_.getInt64Ty();
    set_whole(call, 0, [&](int strip) -> Value* {
      const auto spread = [&](Value* scalar) { return strip == kUniformStrip ? scalar : splat(scalar); };
      Value* address = get(call.getArgOperand(0), strip);
      const auto is_within = [&](Value* begin, Value* size) {
        return builder_.CreateICmpULT(builder_.CreateSub(address, spread(begin)), spread(size));
      };
      const auto half_field = [&](size_t offset) {
        return builder_.CreateZExt(context_field(offset, builder_.getInt32Ty()), i64);
      };
      const auto is_shared = [&](bool of_cluster) {
        Value* begin = space_base(3);
        if (!state_.options.clustered) return is_within(begin, half_field(offsetof(WarpContext, total_shared)));
        if (!of_cluster)
          return is_within(builder_.CreateAdd(begin, half_field(offsetof(WarpContext, own_shared))),
                           half_field(offsetof(WarpContext, total_shared)));
        return is_within(begin, builder_.CreateShl(half_field(offsetof(WarpContext, cluster_size)), kRankShift));
      };
      if (space == "shared" || space == "cluster") return is_shared(space == "cluster");
      if (space == "param")
        return is_within(context_field(offsetof(WarpContext, parameters), i64),
                         half_field(offsetof(WarpContext, parameter_bytes)));
      Value* begin = context_field(offsetof(WarpContext, stack_begin), i64);
      Value* is_local =
          is_within(begin, builder_.CreateSub(context_field(offsetof(WarpContext, stack_end), i64), begin));
      return space == "local" ? is_local : builder_.CreateNot(builder_.CreateOr(is_shared(true), is_local));
    });
    return true;
  }
  return false;
}

Status FunctionVectorizer::emit_warp_call(llvm::CallInst& call) {
  const llvm::StringRef name = call.getCalledFunction()->getName().drop_front(3);
  if (name == "exit" && !is_kernel_) return emit_machine_call(call, name);
  if (state_.by_lanes) {
    const lower::IntrinsicFacts* facts = lower::find_intrinsic(call.getCalledFunction()->getName());
    const bool meets = facts != nullptr && (facts->flags & lower::kConvergent) != 0 && name != "activemask" &&
                       (!name.starts_with("barrier.") || name == "barrier.warp");
    if (meets && name.starts_with("mma.")) {
      devicelib::MmaShape shape;
      if (!devicelib::mma_shape(name.drop_front(4).str().c_str(), shape)) return unsupported(call, "this matrix step");
      shape.ada = state_.options.ada;
      return emit_machine_call(call, "mma", true, builder_.getInt32(devicelib::pack_shape(shape)));
    }
    if (meets) return emit_machine_call(call, name, true);
  }
  if (name.starts_with("vote.")) return emit_vote(call, name.drop_front(5));
  if (name.starts_with("shfl.")) return emit_shuffle(call, name.drop_front(5));
  if (emit_register_call(call, name)) return {};
  if (name.starts_with("barrier.") || name == "nanosleep" || name == "yield") state_.waits = true;
  if (name == "alloca" || name.starts_with("stack")) state_.lane_stacks = true;
  return name.starts_with("mma.") ? emit_mma(call, name) : emit_machine_call(call, name);
}

// `function` for lanes that come to it one by one; null: they only wait for each other. `first`: emit_machine_call.
Status FunctionVectorizer::emit_meeting(llvm::CallInst& call, Value* function, uint64_t results_at, Value* first) {
  const llvm::StringRef name = call.getCalledFunction()->getName().drop_front(3);
  const auto bytes_of = [&](Type* type) {
    return uint8_t(type->isIntegerTy(1) ? 1 : layout_.getTypeStoreSize(type).getFixedValue());
  };
  std::vector<uint8_t> layout;
  uint64_t in = 0, out = 0, last = 0;
  if (first != nullptr) {
    layout.push_back(bytes_of(first->getType()));
    in += warp_array_bytes(layout.back());
  }
  for (const llvm::Use& argument : call.args()) {
    layout.push_back(bytes_of(element(argument->getType())));
    last = in;
    in += warp_array_bytes(layout.back());
  }
  layout.push_back(0);
  for (unsigned field = 0; field < field_count(call.getType()); ++field) {
    layout.push_back(bytes_of(element(field_type(call.getType(), field))));
    out += warp_array_bytes(layout.back());
  }
  layout.push_back(0);
  if (in > kMostMeetingBytes || out > kMostMeetingBytes) return unsupported(call, "operands of this size");
  // A member mask is the last operand; matrix moves and steps take the whole warp.
  const bool has_members = !name.contains("matrix") && !name.starts_with("mma.");
  llvm::LLVMContext& context = source_.getContext();
  llvm::Constant* data = llvm::ConstantDataArray::get(context, layout);
  auto* table =
      new llvm::GlobalVariable(state_.module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "layout");
  Type* pointer = builder_.getPtrTy();
  Type* i32 = builder_.getInt32Ty();
  llvm::FunctionCallee meet = state_.module.getOrInsertFunction(
      "cpu.meet",
      llvm::FunctionType::get(builder_.getVoidTy(), {pointer, i32, pointer, pointer, pointer, pointer, i32}, false));
  if (function == nullptr) function = llvm::ConstantPointerNull::get(builder_.getPtrTy());
  builder_.CreateCall(meet, {context_, mask_bits(), scratch(0), scratch(results_at), function, table,
                             builder_.getInt32(has_members ? uint32_t(last) : kAllMembers)});
  return {};
}

// A runtime function for the whole warp, or, if it `meets`, for those of its lanes that come to it. `cpu.` in place of
// `ww.` keeps its name apart from the per-lane declaration. `first`: a constant that it takes before the call's own
// operands, or null.
Status FunctionVectorizer::emit_machine_call(llvm::CallInst& call, llvm::StringRef name, bool meets, Value* first) {
  uint64_t offset = first == nullptr ? 0 : spill(first, 0, 0);
  for (const llvm::Use& argument : call.args()) offset = spill(argument.get(), 0, offset);
  // Functions that may stop the launch say where.
  if (meets || name == "trap" || name == "assertfail" || name == "alloca" || name.starts_with("barrier.") ||
      name.starts_with("tex.") || name.starts_with("tld4.") || name.starts_with("su"))
    builder_.CreateStore(
        builder_.getInt32(line_of(call)),
        builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), context_, offsetof(WarpContext, line)));
  scratch(offset);
  Type* pointer = builder_.getPtrTy();
  llvm::FunctionCallee function = state_.module.getOrInsertFunction(
      ("cpu." + name).str(),
      llvm::FunctionType::get(builder_.getVoidTy(), {pointer, builder_.getInt32Ty(), pointer, pointer}, false));
  const uint64_t results_at = offset;
  if (meets)
    WW_TRY(emit_meeting(call, name == "barrier.warp" ? nullptr : function.getCallee(), results_at, first));
  else
    builder_.CreateCall(function, {context_, mask_bits(), scratch(0), scratch(results_at)});
  for (unsigned field = 0; field < field_count(call.getType()); ++field) {
    Type* type = element(field_type(call.getType(), field));
    scratch(offset);
    if (!call.use_empty()) set_whole(call, field, [&](int strip) { return reload(at(type, strip), offset, strip); });
    offset += warp_array_bytes(type->isIntegerTy(1) ? 1 : layout_.getTypeStoreSize(type).getFixedValue());
  }
  return {};
}

}  // namespace ww::cpu
