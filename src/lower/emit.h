// The emission functions of all instruction families, as dispatch.cpp lists them. Each emits the current instruction of
// its FunctionEmitter. Private to src/lower.
#pragma once

#include "lower/emitter.h"

namespace ww::lower {

// emit_integer.cpp
Status emit_bitwise(FunctionEmitter& e);
Status emit_integer_add_sub(FunctionEmitter& e);
Status emit_carry(FunctionEmitter& e);
Status emit_integer_multiply(FunctionEmitter& e);
Status emit_integer_extreme(FunctionEmitter& e);
Status emit_integer_sign(FunctionEmitter& e);
Status emit_shift(FunctionEmitter& e);
Status emit_count_bits(FunctionEmitter& e);
Status emit_lop3(FunctionEmitter& e);
// emit_devicelib.cpp: instructions whose whole meaning is one devicelib function
Status emit_by_name(FunctionEmitter& e);
// emit_arithmetic.cpp: opcodes shared by integers and floats
Status emit_add_sub(FunctionEmitter& e);
Status emit_multiply(FunctionEmitter& e);
Status emit_mad(FunctionEmitter& e);
Status emit_divide(FunctionEmitter& e);
Status emit_extreme(FunctionEmitter& e);
Status emit_sign(FunctionEmitter& e);
// emit_float.cpp
Status emit_float_arithmetic(FunctionEmitter& e);
Status emit_float_root(FunctionEmitter& e);
// emit_half.cpp
Status emit_half_arithmetic(FunctionEmitter& e);
// emit_compare.cpp
Status emit_setp(FunctionEmitter& e);
Status emit_set(FunctionEmitter& e);
Status emit_selp(FunctionEmitter& e);
Status emit_slct(FunctionEmitter& e);
Status emit_testp(FunctionEmitter& e);
// emit_convert.cpp
Status emit_cvt(FunctionEmitter& e);
Status emit_cvta(FunctionEmitter& e);
Status emit_isspacep(FunctionEmitter& e);
Status emit_mov(FunctionEmitter& e);
// emit_memory.cpp
Status emit_ld(FunctionEmitter& e);
Status emit_st(FunctionEmitter& e);
Status emit_fence(FunctionEmitter& e);
Status emit_nothing(FunctionEmitter& e);
// emit_async_copy.cpp
Status emit_cp(FunctionEmitter& e);
// emit_atomics.cpp
Status emit_atom(FunctionEmitter& e);
// emit_warp.cpp
Status emit_shfl(FunctionEmitter& e);
Status emit_vote(FunctionEmitter& e);
Status emit_match(FunctionEmitter& e);
Status emit_redux(FunctionEmitter& e);
Status emit_elect(FunctionEmitter& e);
Status emit_activemask(FunctionEmitter& e);
Status emit_barrier(FunctionEmitter& e);
Status emit_nanosleep(FunctionEmitter& e);
Status emit_mbarrier(FunctionEmitter&);
Status emit_copy_arrival(FunctionEmitter&);
Status emit_alloca(FunctionEmitter&);
Status emit_stacksave(FunctionEmitter&);
Status emit_stackrestore(FunctionEmitter&);
// emit_matrix.cpp
Status emit_mma(FunctionEmitter& e);
Status emit_ldmatrix(FunctionEmitter& e);
Status emit_stmatrix(FunctionEmitter& e);
Status emit_movmatrix(FunctionEmitter& e);
// emit_wmma.cpp
Status emit_wmma(FunctionEmitter& e);
// emit_bulk_copy.cpp
Status emit_bulk_copy(FunctionEmitter& e);
Status emit_async_store(FunctionEmitter& e);
// emit_cluster.cpp
Status emit_mapa(FunctionEmitter& e);
Status emit_getctarank(FunctionEmitter& e);
Status emit_createpolicy(FunctionEmitter& e);
// emit_texture.cpp
Status emit_fetch(FunctionEmitter& e);
Status emit_texture_query(FunctionEmitter& e);
Status emit_suld(FunctionEmitter& e);
Status emit_sust(FunctionEmitter& e);
Status emit_sured(FunctionEmitter& e);
Status emit_istypep(FunctionEmitter& e);
// emit_video.cpp
Status emit_video(FunctionEmitter& e);
// emit_control.cpp
Status emit_bra(FunctionEmitter& e);
Status emit_brx(FunctionEmitter& e);
Status emit_ret(FunctionEmitter& e);
Status emit_exit(FunctionEmitter& e);
Status emit_trap(FunctionEmitter& e);
// emit_call.cpp
Status emit_call(FunctionEmitter& e);

// Memory orders and scopes, shared by ld, st, atom and fence (emit_memory.cpp).
llvm::SyncScope::ID sync_scope(FunctionEmitter& e);
// *pointer = op(*pointer, operand), atomically, as the suffixes say; gives what was there before, or null: there is no
// such operation (emit_atomics.cpp).
llvm::Value* update_memory(FunctionEmitter& e, llvm::Value* pointer, llvm::Value* operand);
// *object = function(*object, operand) for devicelib's `function` on mbarrier objects; gives what was there before.
llvm::Value* update_mbarrier(FunctionEmitter& e, llvm::Value* object, const char* function, llvm::Value* operand);
// relaxed, acquire, release, acq_rel or sc as written; `otherwise` if none is.
llvm::AtomicOrdering memory_order(FunctionEmitter& e, llvm::AtomicOrdering otherwise);

}  // namespace ww::lower
