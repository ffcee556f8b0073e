// The instruction table's notation compiles without faults, and its suffix search finds what it should.
#include <gtest/gtest.h>

#include "ptx/matcher.h"

namespace ww::ptx {
namespace {

TEST(InstructionTable, EveryRowIsWellFormed) {
  for (const std::string& fault : table_faults()) ADD_FAILURE() << fault;
}

TEST(InstructionTable, FormsOfAnOpcodeBelongToIt) {
  for (const uint16_t form : forms_of(Opcode::kShfl)) EXPECT_EQ(compiled_form(form).form->opcode, Opcode::kShfl);
  EXPECT_FALSE(forms_of(Opcode::kMov).empty());
}

TEST(Spellings, AreFoundAgain) {
  EXPECT_EQ(find_type("f16x2"), Type::kF16x2);
  EXPECT_EQ(find_opcode("mad24"), Opcode::kMad24);
  EXPECT_EQ(find_modifier("L1::no_allocate"), Modifier::kL1NoAllocate);
  EXPECT_FALSE(find_type("f17").has_value());
  EXPECT_EQ(bits(Type::kE4M3x2), 16u);
}

}  // namespace
}  // namespace ww::ptx
