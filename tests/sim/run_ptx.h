// Runs a kernel of PTX text on the interpreter: the smallest harness that a test needs.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "sim/sim.h"

namespace ww::test {

class PtxRunner {
 public:
  explicit PtxRunner(DeviceOptions options = {}) {
    auto opened = sim::open("sim", options);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().to_string());
    if (opened.ok()) device_ = std::move(*opened);
  }

  Device& device() { return *device_; }

  // Loads text; the version, target and address size are put in front.
  void load(const std::string& body, const std::string& target = "sm_90") {
    auto module = device_->load_module(".version 8.7\n.target " + target + "\n.address_size 64\n" + body, "test.ptx");
    ASSERT_TRUE(module.ok()) << module.error().to_string();
    module_ = std::move(*module);
  }
  DeviceModule& module() { return *module_; }

  template <class T>
  DeviceAddress buffer(const std::vector<T>& values) {
    auto address = device_->allocate(values.size() * sizeof(T));
    EXPECT_TRUE(address.ok());
    EXPECT_TRUE(device_->upload(*address, std::as_bytes(std::span(values))).ok());
    return *address;
  }
  template <class T>
  std::vector<T> read(DeviceAddress address, size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(device_->download(std::as_writable_bytes(std::span(values)), address).ok());
    return values;
  }

  // All parameters are 64-bit ones.
  Status run(const std::string& kernel, Dim3 grid, Dim3 block, const std::vector<uint64_t>& parameters,
             uint32_t shared = 0) {
    auto found = module_->kernel(kernel);
    if (!found.ok()) return found.error();
    Launch launch;
    launch.grid = grid;
    launch.block = block;
    launch.dynamic_shared_bytes = shared;
    launch.parameters = std::as_bytes(std::span(parameters));
    WW_TRY(device_->launch(**found, launch));
    return device_->synchronize();
  }
  void expect_ok(const std::string& kernel, Dim3 grid, Dim3 block, const std::vector<uint64_t>& parameters,
                 uint32_t shared = 0) {
    const Status status = run(kernel, grid, block, parameters, shared);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().to_string());
  }
  // The launch fails, and its message has all these words.
  void expect_error(const std::string& kernel, Dim3 grid, Dim3 block, const std::vector<uint64_t>& parameters,
                    const std::vector<std::string>& words) {
    const Status status = run(kernel, grid, block, parameters);
    ASSERT_FALSE(status.ok());
    const std::string text = status.error().to_string();
    for (const std::string& word : words)
      EXPECT_NE(text.find(word), std::string::npos) << "no '" << word << "' in: " << text;
  }

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<DeviceModule> module_;
};

// A kernel `k` with 64-bit parameters p0, p1, ... in %a0, %a1, ..., generous registers, %tid.x in %t.
inline std::string kernel(const std::string& body, unsigned parameters = 2, const std::string& before = "") {
  std::string text = before + ".visible .entry k(";
  for (unsigned i = 0; i < parameters; ++i) text += (i ? ", " : "") + (".param .u64 p" + std::to_string(i));
  text +=
      ") {\n.reg .pred %p<16>;\n.reg .b16 %h<32>;\n.reg .b32 %r<64>;\n.reg .b64 %d<32>;\n.reg .f32 %f<32>;\n.reg .f64 "
      "%g<16>;\n"
      ".reg .b64 %a<8>;\n.reg .b32 %t, %lane;\nmov.u32 %t, %tid.x;\nmov.u32 %lane, %laneid;\n";
  for (unsigned i = 0; i < parameters; ++i)
    text += "ld.param.u64 %a" + std::to_string(i) + ", [p" + std::to_string(i) + "];\n";
  return text + body + "\nret;\n}\n";
}

// `store32("%r1")`: writes a 32-bit register to out[tid], with out in %a0.
inline std::string store32(const std::string& value, const std::string& base = "%a0") {
  return "mul.wide.u32 %d31, %t, 4;\nadd.s64 %d31, %d31, " + base + ";\nst.global.b32 [%d31], " + value + ";\n";
}

}  // namespace ww::test
