// Every form of the instruction table parses, is legal, and prints to what parses to the same; docs/instructions.md is
// current; the recorded verdicts of an assembler agree with ours.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ptx/form_samples.h"
#include "ptx/matcher.h"
#include "ptx/module_difference.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "ptx/table_markdown.h"
#include "ptx/verifier.h"

namespace ww::ptx {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// "" if the line is legal in the kernel of `prologue`, else the message.
std::string verdict(const std::string& prologue, const std::string& line) {
  const auto module = parse(prologue + line + '\n' + sample_epilogue(), "sample.ptx");
  if (!module.ok()) return module.error().to_string();
  const Status status = verify(**module);
  return status.ok() ? std::string() : status.error().to_string();
}

TEST(Samples, EveryFormParsesAndPrintsBack) {
  std::string text = sample_prologue("9.0", "sm_90a");
  size_t count = 0;
  for (const FormSample& sample : all_form_samples()) {
    const InstructionForm& form = *compiled_form(sample.form).form;
    if (form.first_sm > 90) continue;
    text += sample.line + '\n';
    ++count;
  }
  text += sample_epilogue();
  EXPECT_GT(count, 4000u);
  const auto module = parse(text, "samples.ptx");
  ASSERT_TRUE(module.ok()) << module.error().to_string();
  const Function& kernel = (*module)->functions[0];
  EXPECT_EQ(kernel.instructions.size(), count + 1);
  const std::string once = print(**module);
  const auto again = parse(once, "printed.ptx");
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_EQ(print(**again), once);
  EXPECT_EQ(first_difference(**module, **again), "");
}

// tests/ptx/data/legal.txt and illegal.txt: lines that the reference assembler takes and refuses for sm_90a.
TEST(Samples, LegalLinesAreTaken) {
  const std::string prologue = sample_prologue("9.0", "sm_90a");
  std::istringstream lines(read(std::string(WARPWAVE_SOURCE_DIR) + "/tests/ptx/data/legal.txt"));
  size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with("//")) continue;
    EXPECT_EQ(verdict(prologue, line), "") << line;
    ++count;
  }
  EXPECT_GT(count, 600u);
}

TEST(Samples, IllegalLinesAreRefused) {
  const std::string prologue = sample_prologue("9.0", "sm_90a");
  std::istringstream lines(read(std::string(WARPWAVE_SOURCE_DIR) + "/tests/ptx/data/illegal.txt"));
  size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with("//")) continue;
    EXPECT_NE(verdict(prologue, line), "") << line;
    ++count;
  }
  EXPECT_GT(count, 80u);
}

// Directives, attributes, initialisers, prototypes and nested scopes in one module.
TEST(Samples, ARichModuleIsLegalAndPrintsBack) {
  const auto module = parse(read(std::string(WARPWAVE_SOURCE_DIR) + "/tests/ptx/data/rich.ptx"), "rich.ptx");
  ASSERT_TRUE(module.ok()) << module.error().to_string();
  const Status status = verify(**module);
  EXPECT_TRUE(status.ok()) << status.error().to_string();
  const std::string once = print(**module);
  const auto again = parse(once, "printed.ptx");
  ASSERT_TRUE(again.ok()) << again.error().to_string() << once;
  EXPECT_EQ(print(**again), once);
  EXPECT_EQ(first_difference(**module, **again), "");
}

// tests/ptx/data/round_trip.txt, whose texts the reference assembler takes.
TEST(Samples, OddModulesPrintBack) {
  const std::string head = ".version 9.0\n.target sm_90a\n.address_size 64\n";
  std::istringstream lines(read(std::string(WARPWAVE_SOURCE_DIR) + "/tests/ptx/data/round_trip.txt"));
  size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    ++count;
    const auto module = parse(head + line + '\n', "odd.ptx");
    ASSERT_TRUE(module.ok()) << module.error().to_string() << '\n' << line;
    const auto again = parse(print(**module), "printed.ptx");
    ASSERT_TRUE(again.ok()) << again.error().to_string() << '\n' << line;
    EXPECT_EQ(first_difference(**module, **again), "") << line;
  }
  EXPECT_GT(count, 35u);
}

// A declaration may call its parameters otherwise than the definition, before it or after; the definition's names stay.
TEST(Samples, ParametersOfDeclarationsTakeTheDefinitionsNames) {
  const std::string head = ".version 7.8\n.target sm_80\n";
  const std::string declaration = ".func f(.param .b64 x);\n", definition = ".func f(.param .b64 y) { ret; }\n";
  for (const std::string& text : {head + declaration + definition, head + definition + declaration,
                                  head + declaration + declaration + definition}) {
    const auto module = parse(text, "declared.ptx");
    ASSERT_TRUE(module.ok()) << module.error().to_string();
    for (const Variable& variable : (*module)->variables) EXPECT_EQ(variable.name, "y") << text;
    const auto again = parse(print(**module), "printed.ptx");
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(first_difference(**module, **again), "") << text;
  }
}

// PTX as clang and nvcc write it: tests/ptx/data/compilers/make.sh and tests/data/nvcc/make.sh say how it was made.
TEST(Samples, WhatCompilersWriteIsLegalAndPrintsBack) {
  size_t count = 0;
  for (const char* folder : {"/tests/ptx/data/compilers", "/tests/data/nvcc"}) {
    for (const auto& entry : std::filesystem::directory_iterator(WARPWAVE_SOURCE_DIR + std::string(folder))) {
      if (entry.path().extension() != ".ptx") continue;
      ++count;
      const auto module = parse(read(entry.path().string()), entry.path().filename().string());
      ASSERT_TRUE(module.ok()) << module.error().to_string();
      const Status status = verify(**module);
      EXPECT_TRUE(status.ok()) << status.error().to_string();
      const auto again = parse(print(**module), "printed.ptx");
      ASSERT_TRUE(again.ok()) << again.error().to_string();
      EXPECT_EQ(first_difference(**module, **again), "") << entry.path();
    }
  }
  EXPECT_GE(count, 20u);
}

TEST(InstructionsPage, IsCurrent) {
  EXPECT_EQ(read(std::string(WARPWAVE_SOURCE_DIR) + "/docs/instructions.md"), instructions_markdown())
      << "run: build/release/bin/ptx-instructions-page > docs/instructions.md";
}

}  // namespace
}  // namespace ww::ptx
