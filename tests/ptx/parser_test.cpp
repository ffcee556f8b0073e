// The parser builds the tree that the text describes.
#include "ptx/parser.h"

#include <gtest/gtest.h>

#include "ptx/printer.h"
#include "ptx/verifier.h"

namespace ww::ptx {
namespace {

std::shared_ptr<const Module> parsed(const std::string& text) {
  auto module = parse(text, "test.ptx");
  if (!module.ok()) {
    ADD_FAILURE() << module.error().to_string();
    return nullptr;
  }
  return *module;
}

const char kAxpy[] = R"(//
.version 7.8
.target sm_89
.address_size 64

.global .align 4 .f32 table[2][2] = {{0f3F800000, 2.0}, {-1.5}};
.extern .shared .align 16 .b8 arena[];

.visible .entry axpy(.param .u64 .ptr .global .align 4 x, .param .f32 a, .param .u32 n)
.maxntid 256, 1, 1
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .f32 %f<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [x];
	ld.param.f32 %f1, [a];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra $L__done;
	mul.wide.u32 %rd2, %r5, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.f32 %f2, [%rd3+8];
	fma.rn.f32 %f3, %f2, %f1, 0f3F800000;
	st.global.f32 [%rd3+8], %f3;
$L__done:
	ret;
}
)";

TEST(Parser, ReadsAKernel) {
  const auto module = parsed(kAxpy);
  ASSERT_TRUE(module);
  EXPECT_EQ(module->sm, 89u);
  EXPECT_EQ(module->address_size, 64u);
  const Function* axpy = module->find_function("axpy");
  ASSERT_TRUE(axpy);
  EXPECT_TRUE(axpy->is_entry);
  EXPECT_EQ(axpy->directives.maxntid[0], 256u);
  ASSERT_EQ(axpy->parameters.size(), 3u);
  EXPECT_TRUE(module->variables[axpy->parameters[0]].has_pointer_attribute);
  ASSERT_EQ(axpy->instructions.size(), 15u);
  EXPECT_EQ(axpy->register_types.size(), 2u + 6 + 4 + 4);

  const Instruction& branch = axpy->instructions[8];
  EXPECT_EQ(branch.opcode, Opcode::kBra);
  EXPECT_FALSE(branch.guard_negated);
  EXPECT_EQ(axpy->register_name(branch.guard), "%p1");
  ASSERT_EQ(axpy->operands_of(branch)[0].kind, OperandKind::kLabel);
  EXPECT_EQ(axpy->labels[axpy->operands_of(branch)[0].index].name, "$L__done");

  const Instruction& fma = axpy->instructions[12];
  EXPECT_TRUE(fma.has(Modifier::kRn));
  EXPECT_EQ(fma.type(), Type::kF32);
  EXPECT_EQ(fma.location.line, 28u);
  EXPECT_EQ(fma.location.column, 2u);
  EXPECT_EQ(axpy->operands_of(fma)[3].value, 0x3f800000u);

  const Variable& table = module->variables[0];
  EXPECT_EQ(table.size, 16u);
  const std::vector<uint8_t> image = {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0xc0, 0xbf};
  EXPECT_EQ(table.initializer, image);
}

// 300 parameters of four bytes are fewer than the bytes that a function may have.
TEST(Parser, ReadsACallOfManyArguments) {
  std::string parameters, arguments;
  for (int i = 0; i < 300; ++i) {
    parameters += (i == 0 ? ".param .b32 p" : ", .param .b32 p") + std::to_string(i);
    arguments += i == 0 ? "r" : ", r";
  }
  const auto module = parsed(".version 8.0\n.target sm_80\n.address_size 64\n.func f(" + parameters +
                             ") { ret; }\n.entry k() { .reg .b32 r; call f, (" + arguments + "); ret; }\n");
  ASSERT_TRUE(module);
  EXPECT_TRUE(verify(*module).ok());
  const Function& k = module->functions[1];
  EXPECT_EQ(k.operands_of(k.instructions[0])[1].count, 300u);
}

// The minus belongs to the expression, as in C: a-4+3 is a-1.
TEST(Parser, ReadsOffsetsAsSums) {
  const auto module = parsed(
      ".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 a[9];\n.global .u64 b[2] = {a-4+1, a+-8};\n"
      ".entry k() { .reg .b64 q; .reg .b32 r; ld.b32 r, [q-4+3]; ld.b32 r, [q+4+8]; ld.b32 r, [q+-4]; ld.b32 r, "
      "[a-8+4];\n"
      "mov.b64 q, a-4+3; ret; }\n");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->variables[1].symbol_initializers[0].addend, -3);
  EXPECT_EQ(module->variables[1].symbol_initializers[1].addend, -8);
  const Function& k = module->functions[0];
  const int64_t offsets[] = {-1, 12, -4, -4, -1};
  for (size_t i = 0; i < std::size(offsets); ++i)
    EXPECT_EQ(static_cast<int64_t>(k.operands_of(k.instructions[i])[1].value), offsets[i]) << i;
  EXPECT_EQ(print(*module, k, k.instructions[2]), "ld.b32 r, [q+-4];");  // the assembler takes no [q-4]
}

// The definition is kept whole, also by the declarations around it; of declarations, the one with a bound.
TEST(Parser, KeepsTheDefinitionOfAnExternVariable) {
  const auto module = parsed(
      ".version 8.0\n.target sm_80\n.address_size 64\n.extern .global .u64 a[];\n.visible .global .u64 a[2] = {7};\n"
      ".extern .global .u64 a[];\n.extern .global .b8 c[5];\n.extern .global .b8 c[];\n");
  ASSERT_TRUE(module);
  ASSERT_EQ(module->variables.size(), 2u);
  const Variable& a = module->variables[0];
  EXPECT_EQ(a.linkage, Linkage::kVisible);
  EXPECT_TRUE(a.redeclared);
  EXPECT_EQ(a.size, 16u);
  EXPECT_EQ(a.initializer, (std::vector<uint8_t>{7, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(module->variables[1].size, 5u);
}

// A row that nothing is written to counts; the bytes end where the last value does.
TEST(Parser, ReadsRowsThatAreNotFull) {
  const auto module = parsed(
      ".version 8.0\n.target sm_80\n.address_size 64\n.global .b8 a[][3] = {{1}, {2, 3}, {}};\n"
      ".global .u64 b[2][2] = {{0, a}, {a}};\n");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->variables[0].dimensions, (std::vector<uint64_t>{3, 3}));
  EXPECT_EQ(module->variables[0].initializer, (std::vector<uint8_t>{1, 0, 0, 2, 3}));
  const Variable& b = module->variables[1];
  EXPECT_EQ(b.initializer, std::vector<uint8_t>(24));
  ASSERT_EQ(b.symbol_initializers.size(), 2u);
  EXPECT_EQ(b.symbol_initializers[0].offset, 8u);
  EXPECT_EQ(b.symbol_initializers[1].offset, 16u);
}

TEST(Printer, PrintsWhatParsesToTheSame) {
  const auto module = parsed(kAxpy);
  ASSERT_TRUE(module);
  const std::string once = print(*module);
  const auto again = parsed(once);
  ASSERT_TRUE(again);
  EXPECT_EQ(print(*again), once);
  const Function& axpy = *module->find_function("axpy");
  EXPECT_EQ(print(*module, axpy, axpy.instructions[8]), "@%p1 bra $L__done;");
  EXPECT_EQ(print(*module, axpy, axpy.instructions[11]), "ld.global.f32 %f2, [%rd3+8];");
}

}  // namespace
}  // namespace ww::ptx
