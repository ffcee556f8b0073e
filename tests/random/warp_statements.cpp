// Statements in which threads meet.
#include "coverage/kernel_writer.h"
#include "random/maker.h"

namespace ww::programs {

using namespace ptx;

namespace {
const std::string kAllLanes = "0xffffffff";
}

Statement Maker::warp_statement(const Context& context) {
  const bool all = context.mask == kAllLanes;
  for (;;) {
    const coverage::Form& form = any_form(vocabulary_.warp);
    const Instruction instruction = coverage::instruction_of(form);
    if (!all && instruction.opcode == Opcode::kMovmatrix) continue;
    if (!all && instruction.opcode == Opcode::kShfl) {
      // From the first of the lanes that are there.
      const std::string leader = temporary("b32"), d = destination(Type::kB32), a = source(Type::kB32);
      const std::string p = predicate();
      return {{"brev.b32 " + leader + ", " + context.mask + ";\nclz.b32 " + leader + ", " + leader +
               ";\nshfl.sync.idx.b32 " + d + "|" + p + ", " + a + ", " + leader + ", 31, " + context.mask + ";"},
              {},
              {},
              false};
    }
    std::string line;
    if (write_instruction(form, context.mask, line)) return {{line}, {}, {}, false};
  }
}

Statement Maker::matrix_statement() {
  for (unsigned attempt = 0; attempt < 30; ++attempt) {
    std::string line;
    if (write_instruction(any_form(vocabulary_.matrices), "", line)) return {{line}, {}, {}, false};
  }
  return value_statement();
}

// Each thread gives a value to another one, through shared memory: of the block, or of its warp.
Statement Maker::exchange_statement(const Context& context) {
  const bool block = context.together == Together::kBlock && chance(60);
  const std::string barrier = block ? "bar.sync 0;" : "bar.warp.sync 0xffffffff;";
  const bool wide = chance(30);
  const Type type = wide ? Type::kB64 : Type::kB32;
  const std::string d = destination(type), a = source(type);
  if (d.empty() || a.empty()) return warp_statement(context);
  const std::string from = temporary("b32"), address = temporary("b64"), t = number(wide ? 64 : 32);
  const std::string step = number(1 + below(31));
  std::string text = barrier + "\nst.shared.b" + t + " [%mail_own], " + a + ";\n" + barrier + "\n";
  if (block)
    text += "add.u32 " + from + ", %thread_in_block, " + step + ";\nrem.u32 " + from + ", " + from + ", " +
            number(program_.block) + ";\n";
  else
    text += "xor.b32 " + from + ", %thread_in_block, " + step + ";\n";
  text += "mad.wide.u32 " + address + ", " + from + ", 8, %mail;\nld.shared.b" + t + " " + d + ", [" + address +
          "];\n" + barrier;
  return {{text}, {}, {}, false};
}

Statement Maker::barrier_statement() {
  const std::string count = number(program_.block), p = (chance(30) ? "!" : "") + predicate(), q = predicate();
  const std::string d = destination(Type::kU32), id = number(below(16));
  switch (below(8)) {
    case 0:
      return {{"bar.sync " + id + ";"}, {}, {}, false};
    case 1:
      return {{"barrier.sync " + id + ", " + count + ";"}, {}, {}, false};
    case 2:
      return {{"bar.red.popc.u32 " + d + ", " + id + ", " + p + ";"}, {}, {}, false};
    case 3:
      return {{"barrier.cta.red.popc.aligned.u32 " + d + ", " + id + ", " + count + ", " + p + ";"}, {}, {}, false};
    case 4:
      return {{"bar.red.and.pred " + q + ", " + id + ", " + p + ";"}, {}, {}, false};
    case 5:
      return {{"barrier.red.or.pred " + q + ", " + id + ", " + count + ", " + p + ";"}, {}, {}, false};
    case 6:
      return {{"membar.cta;\nbar.warp.sync 0xffffffff;"}, {}, {}, false};
    default:
      return {{"bar.sync " + id + ", " + count + ";\nfence.acq_rel.cta;"}, {}, {}, false};
  }
}

}  // namespace ww::programs
