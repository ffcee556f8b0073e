// Functions of the program: called by name, by themselves, and through a table.
#include "random/maker.h"

namespace ww::programs {

using namespace ptx;

namespace {

const char* const kSignature = "(.param .b32 a0, .param .b32 a1, .param .b64 w0, .param .b64 w1)";
const char* const kReturns = ".func (.param .align 8 .b8 results[16]) ";

// A call with its parameters; `arguments`: two of 32 bits, two of 64.
std::string call_text(const std::string& callee, const std::string& after, const std::vector<std::string>& arguments,
                      const std::string& d32, const std::string& d64) {
  return "{\n.param .b32 q0;\n.param .b32 q1;\n.param .b64 q2;\n.param .b64 q3;\n.param .align 8 .b8 s[16];\n"
         "st.param.b32 [q0], " +
         arguments[0] + ";\nst.param.b32 [q1], " + arguments[1] + ";\nst.param.b64 [q2], " + arguments[2] +
         ";\nst.param.b64 [q3], " + arguments[3] + ";\ncall (s), " + callee + ", (q0, q1, q2, q3)" + after +
         ";\nld.param.b32 " + d32 + ", [s];\nld.param.b64 " + d64 + ", [s+8];\n}";
}

}  // namespace

void Maker::add_functions() {
  const unsigned count = chance(45) ? 1 + below(3) : 0;
  std::string prototypes, names;
  for (unsigned i = 0; i < count; ++i) {
    Function function;
    function.name = "f" + id_ + "_" + number(i);
    function.head = kReturns + function.name + kSignature + "\n";
    for (const char* name : {"a0", "a1", "w0", "w1"}) {
      const std::string width = name[0] == 'a' ? "32" : "64";
      function.definitions.push_back({std::string("%") + name, ".reg .b" + width + " %" + name + ";",
                                      "ld.param.b" + width + " %" + name + ", [" + name + "];"});
    }
    program_.functions.push_back(std::move(function));
    function_ = &program_.functions.back();
    add_function_registers(*function_);
    function_->definitions.push_back(
        {"%own_local", ".reg .b64 %own_local;\n.local .align 16 .b8 bytes[" + number(kSlotBytes) + "];",
         "mov.u64 %own_local, bytes;\nst.local.v4.b32 [bytes], {%a0, %a1, %a0, %a1};\n"
         "st.local.v2.b64 [bytes+16], {%w0, %w1};\nst.local.v2.b64 [bytes+32], {%w0, %w1};\n"
         "st.local.v2.b64 [bytes+48], {%w1, %w0};"});
    function_->definitions.push_back({"%constants", ".reg .b64 %constants;", "mov.u64 %constants, c" + id_ + ";"});
    choose_pool(40);
    const std::string low = source(Type::kB32);
    std::string high = source(Type::kB64);
    if (high.empty()) high = "%w0";
    Context context;
    context.together = Together::kNobody;
    context.in_function = context.may_leave = true;
    context.depth = 1;
    callable_ = i;
    function_->body = body(context, 2 + below(8));
    if (chance(35)) {  // itself, three times at most
      const std::string left = temporary("b32"), done = temporary("pred");
      const std::string call =
          call_text(function_->name, "", {source(Type::kB32), left, "%w0", high == "%w0" ? "%w1" : high}, low, "%w1");
      function_->body.push_back({{"and.b32 " + left + ", %a1, 3;\nsetp.eq.u32 " + done + ", " + left + ", 0;\n@" +
                                  done + " bra #over;\nsub.u32 " + left + ", " + left + ", 1;\n" + call + "\n#over:"},
                                 {},
                                 {},
                                 false});
    }
    function_->tail = "LEAVE:\nst.param.b32 [results], " + low + ";\nst.param.b64 [results+8], " + high + ";\nret;\n";
    prototypes += kReturns + function_->name + kSignature + ";\n";
    names += (i == 0 ? "" : ", ") + function_->name;
  }
  if (count > 1)
    program_.module_definitions.push_back(
        {"t" + id_, prototypes + ".global .align 8 .u64 t" + id_ + "[" + number(count) + "] = {" + names + "};",
         names});
  callable_ = count;
}

Statement Maker::call_statement() {
  const std::string d32 = destination(Type::kB32), d64 = destination(Type::kB64), w = source(Type::kB64);
  if (callable_ == 0 || d64.empty()) return value_statement();
  const std::vector<std::string> arguments = {source(Type::kB32), source(Type::kB32), w, source(Type::kB64)};
  const bool in_kernel = function_ == &program_.functions.back() && function_->name[0] == 'k';
  if (in_kernel && callable_ > 1 && chance(40)) {
    const std::string index = temporary("b32"), address = temporary("b64"), target = temporary("b64");
    return {{"rem.u32 " + index + ", %thread_in_block, " + number(callable_) + ";\nmov.u64 " + address + ", t" + id_ +
             ";\nmad.wide.u32 " + address + ", " + index + ", 8, " + address + ";\nld.global.u64 " + target + ", [" +
             address +
             "];\n#prototype: .callprototype (.param .align 8 .b8 _[16]) _ (.param .b32 _, .param .b32 _, "
             ".param .b64 _, .param .b64 _);\n" +
             call_text(target, ", #prototype", arguments, d32, d64)},
            {},
            {},
            false};
  }
  return {{call_text("f" + id_ + "_" + number(below(callable_)), "", arguments, d32, d64)}, {}, {}, false};
}

}  // namespace ww::programs
