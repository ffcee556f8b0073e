// The rows of the instruction table, family by family (forms/*.inc), and the notation they are written in.
//
// A pattern is the suffixes of one form, in the manual's order:
//   .rn            must stand there
//   {.ftz}         may stand there
//   (.lo|.hi)      one of them must stand there
//   {.lo|.hi}      one of them may stand there
//   $rnd, {$rnd}   a named group of alternatives: suffix_groups.inc
// Types are taken in order; modifiers may stand in any order, as NVIDIA's own assembler has it.
//
// An operand list names each operand as the manual does, with its type and flags:
//   d:0            a register of the instruction's first type (1: its second, ...); names d and p are destinations
//   a:0            a source: register, special register or constant
//   0w             twice the width of the first type (mul.wide)
//   x              any type of any width
//   flags:  _  may be the sink `_`          |  may carry a second destination: d|p
//           ^  must carry one: d|p          n  a vector of any length
//           !  may be negated: !p           #  a constant only
//           =  a register only              &  may be the address of a variable or function
//           ~  register may be wider        v  scalar, or vector as .v2 .v4 .v8 says
//           p  a vector that packs the type g  texture coordinates: as many as .1d .2d ... says
//           *4 a vector of four             s  may carry a byte or half selector (video)
//           u  a register of bits alone    h  of bits or of .f16x2
//           i  of bits or an integer
//   [a]            an address;  [t:x,c:s32n]  a bracketed list;  ?b:u32  may be left out
//   ...            whatever stands there (forms of newer chips)
//   x:label, x:targets, call   a label; a label of .branchtargets; the operands of call
#include "ptx/instruction_table.h"

namespace ww::ptx {

namespace {

#define WW_FORM(opcode, instruction_class, pattern, operands, version, sm) \
  {Opcode::opcode, InstructionClass::instruction_class, pattern, operands, version, sm, 0},
#define WW_FORM_ARCH(opcode, instruction_class, pattern, operands, version, sm) \
  {Opcode::opcode, InstructionClass::instruction_class, pattern, operands, version, sm, 'a'},
constexpr InstructionForm kForms[] = {
#include "ptx/forms/arithmetic.inc"
#include "ptx/forms/async_copy.inc"
#include "ptx/forms/control_warp.inc"
#include "ptx/forms/logic_move.inc"
#include "ptx/forms/matrix.inc"
#include "ptx/forms/memory.inc"
#include "ptx/forms/texture_surface.inc"
#include "ptx/forms/video.inc"
};
#undef WW_FORM
#undef WW_FORM_ARCH

}  // namespace

std::span<const InstructionForm> instruction_table() {
  return kForms;
}

}  // namespace ww::ptx
