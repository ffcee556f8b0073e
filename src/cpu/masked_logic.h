// Keeps logic of three operands out of masked instructions, for the levels that have masks in registers.
#pragma once

namespace llvm {
class Function;
}

namespace ww::cpu {

// LLVM 22.1 gives vpternlog a wrong truth table where three things come together: its result goes through a select, the
// select's other value is one of its operands, and another operand is a constant or a load (llvm-project, issue 157929,
// where the forms with their operands turned by one place are exchanged). So that the two are never one instruction,
// a logic result of three operands is made opaque before a select of 32- or 64-bit elements takes it. To be called last
// before code generation: what comes later must not see through a select. Values and control flow stay the same.
void separate_masked_logic(llvm::Function& function);

}  // namespace ww::cpu
