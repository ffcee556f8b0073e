// Which emission function each opcode has. An opcode that is absent is not supported.
#include <array>

#include "lower/emit.h"

namespace ww::lower {
namespace {

using ptx::Opcode;

struct Row {
  Opcode opcode;
  EmitFunction emit;
  bool has_side_effects;
};

constexpr bool kPure = false;   // under a guard: computed anyway, then selected
constexpr bool kEffect = true;  // under a guard: branched around

constexpr Row kRows[] = {
    // integers and logic
    {Opcode::kAnd, emit_bitwise, kPure},
    {Opcode::kOr, emit_bitwise, kPure},
    {Opcode::kXor, emit_bitwise, kPure},
    {Opcode::kNot, emit_bitwise, kPure},
    {Opcode::kCnot, emit_bitwise, kPure},
    {Opcode::kLop3, emit_lop3, kPure},
    {Opcode::kShl, emit_shift, kPure},
    {Opcode::kShr, emit_shift, kPure},
    {Opcode::kShf, emit_by_name, kPure},
    {Opcode::kAddc, emit_carry, kPure},
    {Opcode::kSubc, emit_carry, kPure},
    {Opcode::kMadc, emit_carry, kPure},
    {Opcode::kMul24, emit_by_name, kPure},
    {Opcode::kMad24, emit_by_name, kPure},
    {Opcode::kSad, emit_by_name, kPure},
    {Opcode::kRem, emit_divide, kPure},
    {Opcode::kPopc, emit_count_bits, kPure},
    {Opcode::kClz, emit_count_bits, kPure},
    {Opcode::kBrev, emit_count_bits, kPure},
    {Opcode::kBfind, emit_by_name, kPure},
    {Opcode::kFns, emit_by_name, kPure},
    {Opcode::kBfe, emit_by_name, kPure},
    {Opcode::kBfi, emit_by_name, kPure},
    {Opcode::kBmsk, emit_by_name, kPure},
    {Opcode::kSzext, emit_by_name, kPure},
    {Opcode::kPrmt, emit_by_name, kPure},
    {Opcode::kDp4a, emit_by_name, kPure},
    {Opcode::kDp2a, emit_by_name, kPure},
    // arithmetic on integers and floats
    {Opcode::kAdd, emit_add_sub, kPure},
    {Opcode::kSub, emit_add_sub, kPure},
    {Opcode::kMul, emit_multiply, kPure},
    {Opcode::kMad, emit_mad, kPure},
    {Opcode::kFma, emit_mad, kPure},
    {Opcode::kDiv, emit_divide, kPure},
    {Opcode::kMin, emit_extreme, kPure},
    {Opcode::kMax, emit_extreme, kPure},
    {Opcode::kAbs, emit_sign, kPure},
    {Opcode::kNeg, emit_sign, kPure},
    {Opcode::kCopysign, emit_by_name, kPure},
    {Opcode::kSqrt, emit_float_root, kPure},
    {Opcode::kRcp, emit_float_root, kPure},
    {Opcode::kRsqrt, emit_by_name, kPure},
    {Opcode::kSin, emit_by_name, kPure},
    {Opcode::kCos, emit_by_name, kPure},
    {Opcode::kEx2, emit_by_name, kPure},
    {Opcode::kLg2, emit_by_name, kPure},
    {Opcode::kTanh, emit_by_name, kPure},
    // video
    {Opcode::kVadd, emit_video, kPure},
    {Opcode::kVadd2, emit_video, kPure},
    {Opcode::kVadd4, emit_video, kPure},
    {Opcode::kVsub, emit_video, kPure},
    {Opcode::kVsub2, emit_video, kPure},
    {Opcode::kVsub4, emit_video, kPure},
    {Opcode::kVabsdiff, emit_video, kPure},
    {Opcode::kVabsdiff2, emit_video, kPure},
    {Opcode::kVabsdiff4, emit_video, kPure},
    {Opcode::kVmin, emit_video, kPure},
    {Opcode::kVmin2, emit_video, kPure},
    {Opcode::kVmin4, emit_video, kPure},
    {Opcode::kVmax, emit_video, kPure},
    {Opcode::kVmax2, emit_video, kPure},
    {Opcode::kVmax4, emit_video, kPure},
    {Opcode::kVset, emit_video, kPure},
    {Opcode::kVset2, emit_video, kPure},
    {Opcode::kVset4, emit_video, kPure},
    {Opcode::kVavrg2, emit_video, kPure},
    {Opcode::kVavrg4, emit_video, kPure},
    {Opcode::kVshl, emit_video, kPure},
    {Opcode::kVshr, emit_video, kPure},
    {Opcode::kVmad, emit_video, kPure},
    // comparison, conversion, moves
    {Opcode::kSetp, emit_setp, kPure},
    {Opcode::kSet, emit_set, kPure},
    {Opcode::kSelp, emit_selp, kPure},
    {Opcode::kSlct, emit_slct, kPure},
    {Opcode::kTestp, emit_testp, kPure},
    {Opcode::kCvt, emit_cvt, kPure},
    {Opcode::kCvta, emit_cvta, kPure},
    {Opcode::kIsspacep, emit_isspacep, kPure},
    {Opcode::kMov, emit_mov, kPure},
    // memory
    {Opcode::kLd, emit_ld, kEffect},
    {Opcode::kLdu, emit_ld, kEffect},
    {Opcode::kSt, emit_st, kEffect},
    {Opcode::kAtom, emit_atom, kEffect},
    {Opcode::kRed, emit_atom, kEffect},
    {Opcode::kMembar, emit_fence, kEffect},
    {Opcode::kFence, emit_fence, kEffect},
    {Opcode::kCp, emit_cp, kEffect},
    {Opcode::kMapa, emit_mapa, kPure},
    {Opcode::kGetctarank, emit_getctarank, kPure},
    {Opcode::kCreatepolicy, emit_createpolicy, kPure},
    {Opcode::kPrefetch, emit_nothing, kEffect},
    {Opcode::kPrefetchu, emit_nothing, kEffect},
    {Opcode::kApplypriority, emit_nothing, kEffect},
    {Opcode::kDiscard, emit_nothing, kEffect},
    {Opcode::kPmevent, emit_nothing, kEffect},
    // warps and blocks
    {Opcode::kShfl, emit_shfl, kEffect},
    {Opcode::kVote, emit_vote, kEffect},
    {Opcode::kMatch, emit_match, kEffect},
    {Opcode::kRedux, emit_redux, kEffect},
    {Opcode::kElect, emit_elect, kEffect},
    {Opcode::kActivemask, emit_activemask, kEffect},
    {Opcode::kBar, emit_barrier, kEffect},
    {Opcode::kBarrier, emit_barrier, kEffect},
    {Opcode::kNanosleep, emit_nanosleep, kEffect},
    {Opcode::kMbarrier, emit_mbarrier, kEffect},
    // matrices
    {Opcode::kMma, emit_mma, kEffect},
    {Opcode::kLdmatrix, emit_ldmatrix, kEffect},
    {Opcode::kStmatrix, emit_stmatrix, kEffect},
    {Opcode::kMovmatrix, emit_movmatrix, kEffect},
    {Opcode::kWmma, emit_wmma, kEffect},
    // textures and surfaces
    {Opcode::kTex, emit_fetch, kEffect},
    {Opcode::kTld4, emit_fetch, kEffect},
    {Opcode::kTxq, emit_texture_query, kEffect},
    {Opcode::kSuq, emit_texture_query, kEffect},
    {Opcode::kSuld, emit_suld, kEffect},
    {Opcode::kSust, emit_sust, kEffect},
    {Opcode::kSured, emit_sured, kEffect},
    {Opcode::kIstypep, emit_istypep, kPure},
    // control
    {Opcode::kBra, emit_bra, kEffect},
    {Opcode::kBrx, emit_brx, kEffect},
    {Opcode::kRet, emit_ret, kEffect},
    {Opcode::kExit, emit_exit, kEffect},
    {Opcode::kTrap, emit_trap, kEffect},
    {Opcode::kBrkpt, emit_trap, kEffect},  // without a debugger
    {Opcode::kCall, emit_call, kEffect},
    {Opcode::kAlloca, emit_alloca, kEffect},
    {Opcode::kStacksave, emit_stacksave, kEffect},
    {Opcode::kStackrestore, emit_stackrestore, kEffect},
    {Opcode::kGriddepcontrol, emit_nothing, kEffect},
    {Opcode::kSetmaxnreg, emit_nothing, kEffect},
};

constexpr auto kTable = [] {
  std::array<EmitEntry, 256> table{};
  for (const Row& row : kRows) table[size_t(row.opcode)] = {row.emit, row.has_side_effects};
  return table;
}();

}  // namespace

const EmitEntry& emit_entry(ptx::Opcode opcode) {
  return kTable[size_t(opcode)];
}

}  // namespace ww::lower
