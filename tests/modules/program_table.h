// The programs behind the modules of this folder and how they are run, as programs.txt says: after `program NAME` a
// line a buffer,
//   random NAME WORDS SEED              32-bit words of golden/random.h
//   zeros NAME WORDS                    not compared
//   result NAME WORDS                   zeros before, compared afterwards
//   output NAME WORDS                   poisoned before, compared afterwards
//   image NAME FORMAT CHANNELS W,H SEED   f32 (in [-1, 1)) or u32 texels, compared
// and a line a launch, in order:
//   launch ENTRY grid X[,Y[,Z]] block X[,Y[,Z]] [shared BYTES] : ARGUMENT ...
// An argument is a buffer's name, with +BYTES if not from its start; texture:IMAGE (linear, not normalised) or
// surface:IMAGE; a number with its type (u8 s16 u32 s32 u64 f32 f64); or several numbers, as they lie in memory:
// (u8:1,u8:2).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "golden/golden_case.h"

namespace ww::modules {

// By name. A line that can't be read: kInput, with its number.
Result<std::map<std::string, golden::GoldenCase>> read_programs(const std::string& path);

// Names of the modules (PROGRAM-COMPILER_TARGET_OPTIONS) that lie in `folder`, in order.
std::vector<std::string> module_names(const std::string& folder);

// PROGRAM of a module's name.
std::string program_of(const std::string& module);

// A hash of each compared buffer after the module's program ran on the device, as hexadecimal words with spaces
// between.
Result<std::string> run_module(Device& device, const std::string& folder, const std::string& module,
                               const std::map<std::string, golden::GoldenCase>& programs);

}  // namespace ww::modules
