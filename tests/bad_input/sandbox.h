// The folder in which a case runs, and the steps that fill it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ww::bad_input {

// Does one step of a case's `setup` in `folder`. Throws std::runtime_error for a step that can't be done.
void do_step(const std::string& folder, const nlohmann::json& step);

// What is left behind that should not be: names of temporary files, of anything in `folder` or below.
std::string leftovers(const std::string& folder);

// Empty if the file is a whole OpenEXR, PNG or JSON file, else what is wrong.
std::string check_whole(const std::string& path);

}  // namespace ww::bad_input
