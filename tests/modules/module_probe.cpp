// module-probe FOLDER DEVICE [TEXT]: runs the modules of tests/modules (those whose name contains TEXT) and prints a
// line for each: its name and a hash of each buffer that is compared. What failed goes to standard error. Exit status 1
// if something did.
#include <cstdio>
#include <string>

#include "device/registry.h"
#include "modules/program_table.h"

int main(int argc, char** argv) {
  using namespace ww;
  if (argc < 3) {
    std::fputs("usage: module-probe FOLDER DEVICE [TEXT]\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  const auto programs = modules::read_programs(folder + "/programs.txt");
  if (!programs.ok()) {
    std::fprintf(stderr, "module-probe: %s\n", programs.error().to_string().c_str());
    return exit_status(programs.error().kind);
  }
  auto device = open_device(argv[2], DeviceOptions{});
  unsigned failed = 0;
  for (const std::string& module : modules::module_names(folder)) {
    if (argc > 3 && module.find(argv[3]) == std::string::npos) continue;
    if (!device.ok()) {
      std::fprintf(stderr, "module-probe: %s\n", device.error().to_string().c_str());
      return exit_status(device.error().kind);
    }
    const auto hashes = modules::run_module(**device, folder, module, *programs);
    if (hashes.ok()) {
      std::printf("%s %s\n", module.c_str(), hashes->c_str());
      std::fflush(stdout);
      continue;
    }
    ++failed;
    std::fprintf(stderr, "%s: %s\n", module.c_str(), hashes.error().to_string().c_str());
    // A fault leaves a GPU's context unusable: close it before another one is made.
    *device = nullptr;
    device = open_device(argv[2], DeviceOptions{});
  }
  return failed != 0;
}
