// The families of golden cases, one source file each.
#pragma once

#include <vector>

#include "golden/golden_case.h"

namespace ww::golden {

std::vector<GoldenCase> arithmetic_cases();   // integer and float instructions, conversions, approximations
std::vector<GoldenCase> cooperation_cases();  // shuffles, votes, barriers, shared memory, atomics
std::vector<GoldenCase> control_cases();      // divergence, recursion, function pointers, lanes that wait for lanes
std::vector<GoldenCase> algorithm_cases();    // whole programs: sorts, hashes, transforms, simulations
std::vector<GoldenCase> matrix_cases();       // tensor cores and what is built on them
std::vector<GoldenCase> image_cases();        // textures and surfaces
std::vector<GoldenCase> scene_cases();        // the scene renderer, every family
std::vector<GoldenCase> nvcc_cases();         // PTX written by NVIDIA's compiler, from our sources

}  // namespace ww::golden
