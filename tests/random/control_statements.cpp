// Branches, loops and graphs of blocks, and the choice among all statements.
#include <algorithm>

#include "random/generator.h"
#include "random/maker.h"

namespace ww::programs {

using namespace ptx;

namespace {
enum Family : unsigned {
  kValue,
  kCarry,
  kQuotient,
  kInput,
  kMemory,
  kOwnAtomic,
  kCell,
  kReadCell,
  kWarp,
  kMatrix,
  kExchange,
  kBarrier,
  kIf,
  kMaskedIf,
  kLoop,
  kTwoEntryLoop,
  kGraph,
  kSwitch,
  kCall,
  kLeave,
  kFamilies
};
// How often each, where the program has it at all.
constexpr unsigned kWeights[kFamilies] = {60, 4, 2, 8, 8, 4, 4, 2, 6, 3, 3, 2, 6, 4, 6, 2, 2, 2, 5, 4};
constexpr unsigned kMostRepetitions = 40;
}  // namespace

Maker::Maker(uint64_t seed, const Vocabulary& vocabulary) : random_(seed * 2 + 1), vocabulary_(vocabulary) {
  program_.seed = seed;
  id_ = number(seed);
  program_.block = 32 * (1 + below(3));
  for (const unsigned weight : kWeights) weights_.push_back(chance(60) ? weight : 0);
  weights_[kValue] = kWeights[kValue];
  constant_percent_ = chance(50) ? 12 : 3;
  guard_percent_ = chance(50) ? 10 : 2;
  const unsigned percent = chance(50) ? 100 : 30;
  for (size_t i = 0; i < vocabulary.values.size(); ++i) word_enabled_.push_back(chance(percent));
  for (int i = 0; i < 12; ++i) word_enabled_[below(static_cast<uint32_t>(word_enabled_.size()))] = 1;
}

Context Maker::inside(const Context& context, unsigned repetition, bool diverges) const {
  Context inner = context;
  ++inner.depth;
  inner.repetition *= repetition;
  if (diverges) inner.together = Together::kNobody;
  return inner;
}

std::vector<Statement> Maker::body(const Context& context, unsigned statements) {
  Body list;
  for (unsigned i = 0; i < statements; ++i) list.push_back(statement(context));
  return list;
}

Statement Maker::statement(const Context& context) {
  const bool meets = context.together != Together::kNobody, all = meets && context.mask == "0xffffffff";
  const bool nests = context.depth < 4;
  for (;;) {
    unsigned total = 0;
    for (const unsigned weight : weights_) total += weight;
    unsigned family = 0;
    for (unsigned pick = below(total); pick >= weights_[family]; ++family) pick -= weights_[family];
    switch (family) {
      case kValue:
        return value_statement();
      case kCarry:
        return carry_statement();
      case kQuotient:
        return quotient_statement();
      case kInput:
        if (context.in_function) continue;
        return input_statement();
      case kMemory:
        return memory_statement(context);
      case kOwnAtomic:
        return own_atomic_statement(context);
      case kCell:
        return cell_statement(context);
      case kReadCell:
        return shared_cell_statement(context);
      case kWarp:
        if (!meets) continue;
        return warp_statement(context);
      case kMatrix:
        if (!all) continue;
        return matrix_statement();
      case kExchange:
        if (!all) continue;
        return exchange_statement(context);
      case kBarrier:
        if (context.together != Together::kBlock) continue;
        return barrier_statement();
      case kIf:
        if (!nests) continue;
        return if_statement(context);
      case kMaskedIf:
        if (!nests || !all) continue;
        return masked_if_statement(context);
      case kLoop:
        if (!nests || context.repetition > kMostRepetitions) continue;
        return loop_statement(context);
      case kTwoEntryLoop:
        if (!nests || context.repetition > kMostRepetitions) continue;
        return two_entry_loop_statement(context);
      case kGraph:
        if (!nests || context.repetition > kMostRepetitions / 4) continue;
        return graph_statement(context);
      case kSwitch:
        if (!nests) continue;
        return switch_statement(context);
      case kCall:
        if (context.repetition > kMostRepetitions) continue;
        return call_statement();
      case kLeave:
        if (!context.may_leave || context.together != Together::kNobody || chance(50)) continue;
        return leave_statement();
      default:
        continue;
    }
  }
}

Statement Maker::if_statement(const Context& context) {
  const bool uniform = context.together == Together::kBlock && chance(40);
  std::string condition = predicate(), before;
  if (uniform) {
    const std::string word = temporary("b32");
    condition = temporary("pred");
    before = "ld.param.b32 " + word + ", [block+" + number(4 * below(4)) + "];\nsetp.gt.s32 " + condition + ", " +
             word + ", " + number(below(2000000000)) + ";\n";
  }
  const Context inner = inside(context, 1, !uniform);
  const char* negation = chance(50) ? "!" : "";
  if (chance(50))
    return {{before + "@" + negation + condition + " bra #end;", "#end:"},
            {body(inner, 1 + below(5))},
            {},
            !uniform || true};
  return {{before + "@" + negation + condition + " bra #else;", "bra #end;\n#else:", "#end:"},
          {body(inner, 1 + below(4)), body(inner, 1 + below(4))},
          {},
          true};
}

// Lanes that know who they are.
Statement Maker::masked_if_statement(const Context& context) {
  Context inner = inside(context, 1, false);
  const std::string p = temporary("pred"), mask = temporary("b32");
  std::string text = "and.pred " + p + ", " + predicate() + ", " + predicate() + ";\n";
  if (chance(50)) text = "or.pred " + p + ", " + predicate() + ", !" + predicate() + ";\n";
  text += "vote.sync.ballot.b32 " + mask + ", " + p + ", 0xffffffff;\n@!" + p + " bra #end;";
  inner.together = Together::kLanes;
  inner.mask = mask;
  return {{text, "#end:\nbar.warp.sync 0xffffffff;"}, {body(inner, 1 + below(5))}, {}, false};
}

Statement Maker::loop_statement(const Context& context) {
  const std::string left = temporary("b32"), again = temporary("pred");
  const bool uniform = chance(50);
  const unsigned most = uniform ? 1 + below(5) : 4;
  const Context inner = inside(context, most, !uniform);
  const std::string enter = uniform ? "mov.u32 " + left + ", " + number(most) + ";\n"
                                    : "and.b32 " + left + ", " + source(Type::kB32) + ", 3;\n";
  std::vector<Body> bodies;
  std::string test = "setp.ne.u32 " + again + ", " + left + ", 0;\n";
  std::vector<std::string> lines;
  if (uniform && chance(50)) {  // tested at its end
    lines = {enter + "#again:",
             "sub.u32 " + left + ", " + left + ", 1;\n" + test + "@" + again + " bra #again;\n#end:"};
  } else {
    lines = {enter + "#again:\n" + test + "@!" + again + " bra #end;\nsub.u32 " + left + ", " + left + ", 1;",
             "bra #again;\n#end:"};
  }
  bodies.push_back(body(inner, 1 + below(5)));
  if (inner.together == Together::kNobody && chance(40)) {  // left in the middle, or begun anew
    lines.insert(lines.begin() + 1, "@" + predicate() + " bra " +
                                        (chance(70)                                 ? "#end;"
                                         : lines[0].find("@!") != std::string::npos ? "#again;"
                                                                                    : "#end;"));
    bodies.push_back(body(inner, 1 + below(3)));
  }
  return {lines, bodies, {}, true};
}

Statement Maker::two_entry_loop_statement(const Context& context) {
  const std::string left = temporary("b32"), again = temporary("pred");
  const Context inner = inside(context, 4, true);
  return {
      {"and.b32 " + left + ", " + source(Type::kB32) + ", 3;\n@" + predicate() + " bra #second;\n#first:", "#second:",
       "setp.ne.u32 " + again + ", " + left + ", 0;\nsub.u32 " + left + ", " + left + ", 1;\n@" + again +
           " bra #first;"},
      {body(inner, 1 + below(3)), body(inner, 1 + below(3))},
      {},
      true};
}

// Blocks that branch to each other at will until the fuel is gone.
Statement Maker::graph_statement(const Context& context) {
  const unsigned blocks = 2 + below(4);
  const std::string fuel = temporary("b32"), empty = temporary("pred");
  const Context inner = inside(context, 6, true);
  Statement graph;
  graph.lines.push_back("mov.u32 " + fuel + ", " + number(3 + below(6)) + ";\nbra #block" + number(below(blocks)) +
                        ";\n#block0:");
  for (unsigned i = 0; i < blocks; ++i) {
    graph.bodies.push_back(body(inner, 1 + below(3)));
    std::string line = "sub.u32 " + fuel + ", " + fuel + ", 1;\nsetp.eq.u32 " + empty + ", " + fuel + ", 0;\n@" +
                       empty + " bra #end;\n@" + (chance(50) ? "!" : "") + predicate() + " bra #block" +
                       number(below(blocks)) + ";\nbra #block" + number(below(blocks)) + ";\n";
    line += i + 1 < blocks ? "#block" + number(i + 1) + ":" : "#end:";
    graph.lines.push_back(line);
  }
  return graph;
}

Statement Maker::switch_statement(const Context& context) {
  const std::string index = temporary("b32");
  const unsigned cases = chance(50) ? 2 : 4;
  const Context inner = inside(context, 1, true);
  Statement statement;
  std::string targets;
  for (unsigned i = 0; i < 4; ++i) targets += (i == 0 ? "#case" : ", #case") + number(i % cases);
  statement.lines.push_back("and.b32 " + index + ", " + source(Type::kB32) + ", 3;\n#targets: .branchtargets " +
                            targets + ";\nbrx.idx " + index + ", #targets;\n#case0:");
  for (unsigned i = 0; i < cases; ++i) {
    statement.bodies.push_back(body(inner, 1 + below(3)));
    std::string line = chance(30) ? "" : "bra #end;\n";
    line += i + 1 < cases ? "#case" + number(i + 1) + ":" : "#end:";
    statement.lines.push_back(line);
  }
  return statement;
}

Statement Maker::leave_statement() {
  const std::string p = predicate();
  const bool ends = function_->name[0] == 'k' && chance(30);
  return {{ends ? "@" + p + (chance(50) ? " exit;" : " ret;") : "@" + p + " bra LEAVE;"}, {}, {}, false};
}

Program Maker::make() {
  program_.module_definitions.push_back({"c" + id_, {}, {}});
  std::string words;
  for (unsigned i = 0; i < kConstantWords; ++i)
    words += (i == 0 ? "" : ", ") + number(chance(50) ? random_.u32() : 0x3f000000 + random_.u32() % 0x1800000);
  program_.module_definitions[0].declaration =
      ".const .align 16 .b32 c" + id_ + "[" + number(kConstantWords) + "] = {" + words + "};";
  program_.functions.reserve(8);
  add_functions();
  Function kernel;
  kernel.name = "k" + id_;
  kernel.head =
      ".visible .entry " + kernel.name + "(.param .u64 in, .param .u64 out, .param .align 16 .b8 block[64])\n";
  kernel.tail = "LEAVE:\nret;\n";
  const uint64_t threads = program_.threads(), slots = kColumns * threads * 8, cells = slots + threads * kSlotBytes;
  const std::string block = number(program_.block);
  kernel.definitions = {
      {"%thread_in_block", ".reg .b32 %thread_in_block;", "mov.u32 %thread_in_block, %tid.x;"},
      {"%thread", ".reg .b32 %thread;",
       "mov.u32 %thread, %ctaid.x;\nmad.lo.u32 %thread, %thread, " + block + ", %thread_in_block;"},
      {"%input", ".reg .b64 %input;", "ld.param.u64 %input, [in];"},
      {"%output", ".reg .b64 %output;", "ld.param.u64 %output, [out];"},
      {"%word", ".reg .b32 %word;", {}},
      {"%own_global", ".reg .b64 %own_global;",
       "mad.wide.u32 %own_global, %thread, " + number(kSlotBytes) + ", %output;\nadd.u64 %own_global, %own_global, " +
           number(slots) + ";"},
      {"%cells_global", ".reg .b64 %cells_global;", "add.u64 %cells_global, %output, " + number(cells) + ";"},
      {"%constants", ".reg .b64 %constants;", "mov.u64 %constants, c" + id_ + ";"},
      {"%fill", ".reg .b32 %fill;", "mov.b32 %fill, 0x3f8081a5;"},
      {"%own_shared",
       ".reg .b64 %own_shared;\n.shared .align 16 .b8 slots" + id_ + "[" +
           number(uint64_t{program_.block} * kSlotBytes) + "];",
       "mov.u64 %own_shared, slots" + id_ + ";\nmad.wide.u32 %own_shared, %thread_in_block, " + number(kSlotBytes) +
           ", %own_shared;\nst.shared.v4.b32 [%own_shared], {%fill, %thread, %fill, %fill};\n"
           "st.shared.v4.b32 [%own_shared+16], {%fill, %fill, %fill, %thread};\n"
           "st.shared.v4.b32 [%own_shared+32], {%fill, %thread, %fill, %fill};\n"
           "st.shared.v4.b32 [%own_shared+48], {%thread, %fill, %fill, %fill};"},
      {"%own_local", ".reg .b64 %own_local;\n.local .align 16 .b8 bytes[" + number(kSlotBytes) + "];",
       "mov.u64 %own_local, bytes;\nst.local.v4.b32 [bytes], {%fill, %thread, %fill, %fill};\n"
       "st.local.v4.b32 [bytes+16], {%thread, %fill, %fill, %fill};\n"
       "st.local.v4.b32 [bytes+32], {%fill, %fill, %fill, %thread};\n"
       "st.local.v4.b32 [bytes+48], {%fill, %fill, %thread, %fill};"},
      {"%generic_shared", ".reg .b64 %generic_shared;", "cvta.shared.u64 %generic_shared, %own_shared;"},
      {"%generic_local", ".reg .b64 %generic_local;", "cvta.local.u64 %generic_local, %own_local;"},
      {"%mail",
       ".reg .b64 %mail;\n.shared .align 16 .b8 mail" + id_ + "[" + number(uint64_t{program_.block} * 8) + "];",
       "mov.u64 %mail, mail" + id_ + ";"},
      {"%mail_own", ".reg .b64 %mail_own;",
       "mad.wide.u32 %mail_own, %thread_in_block, 8, %mail;\n{ .reg .b64 %zero; mov.b64 %zero, 0; st.shared.b64 "
       "[%mail_own], %zero; }"},
      {"%cells_shared", ".reg .b64 %cells_shared;\n.shared .align 16 .b8 cells" + id_ + "[" + number(kCells * 8) + "];",
       "mov.u64 %cells_shared, cells" + id_ +
           ";\n{ .reg .b64 %a, %v; .reg .pred %q; setp.lt.u32 %q, %thread_in_block, " + number(kCells) +
           "; mad.wide.u32 %a, %thread_in_block, 8, %cells_shared; mul.wide.u32 %v, %thread_in_block, 0x9e3779b1;\n"
           "@%q st.shared.b64 [%a], %v; }\nbar.sync 0;"},
  };
  for (const char* bytes : {"2", "4", "8"})
    for (const char* side : {"in", "out"}) {
      const std::string name = std::string("%") + side + bytes;
      kernel.definitions.push_back(
          {name, ".reg .b64 " + name + ";", "mad.wide.u32 " + name + ", %thread, " + bytes + ", %" + side + "put;"});
    }
  program_.functions.push_back(std::move(kernel));
  function_ = &program_.functions.back();
  add_kernel_registers();
  choose_pool(chance(50) ? 20 : 60);
  static constexpr unsigned kSizes[] = {2, 2, 3, 3, 4, 4, 5, 6, 8, 12};
  const unsigned statements = kSizes[below(10)] + below(2);
  Context context;
  function_->body = body(context, statements);
  if (weights_[kLeave] != 0) {  // nobody meets any more
    context.together = Together::kNobody;
    context.may_leave = true;
    for (Statement& last : body(context, 2 + statements / 4)) function_->body.push_back(std::move(last));
  }
  return std::move(program_);
}

Program program_of(uint64_t seed, const Vocabulary& vocabulary) {
  return Maker(seed, vocabulary).make();
}

}  // namespace ww::programs
