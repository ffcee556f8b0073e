// golden-record: runs every golden case on a device and writes what it gave.
//
// usage: golden-record OUT --guest FOLDER --data FOLDER [--device nvidia] [--only TEXT] [--date DATE]
//
// OUT/<family>/<case>.bin, and OUT/manifest.json with the device and the hash of each module's PTX. A case that fails
// is reported and left out; the others go on, on a device that is opened afresh. Exit status 1 if one failed. With
// --only, cases whose name contains TEXT; the manifest then holds those alone.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/files.h"
#include "device/registry.h"
#include "golden/golden_file.h"

namespace {

using namespace ww;
using namespace ww::golden;

struct Options {
  std::string out, device = "nvidia", only, date = "unknown";
  PtxFolders folders;
};

bool read_options(int argc, char** argv, Options& options) {
  const struct {
    const char* name;
    std::string* value;
  } known[] = {{"--guest", &options.folders.guest},
               {"--data", &options.folders.data},
               {"--device", &options.device},
               {"--only", &options.only},
               {"--date", &options.date}};
  for (int i = 1; i < argc; ++i) {
    bool taken = false;
    for (const auto& option : known) {
      if (std::strcmp(argv[i], option.name) != 0) continue;
      if (i + 1 == argc) return false;
      *option.value = argv[++i];
      taken = true;
    }
    if (!taken && (argv[i][0] == '-' || !options.out.empty())) return false;
    if (!taken) options.out = argv[i];
  }
  return !options.out.empty() && !options.folders.guest.empty() && !options.folders.data.empty();
}

std::string json_string(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return json + "\"";
}

Status record(Device& device, const GoldenCase& golden, const Options& options, std::string& hash) {
  WW_ASSIGN(const std::string ptx, read_ptx(options.folders, golden.module));
  hash = hash_of(ptx);
  WW_ASSIGN(const Outputs outputs, run_case(device, golden, ptx));
  WW_TRY(make_folder(options.out + "/" + golden.family));
  return write_golden(options.out + "/" + golden.family + "/" + golden.name + ".bin", outputs);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read_options(argc, argv, options)) {
    std::fprintf(
        stderr,
        "usage: golden-record OUT --guest FOLDER --data FOLDER [--device nvidia] [--only TEXT] [--date DATE]\n");
    return 2;
  }
  const auto open = [&options] { return open_device(options.device, DeviceOptions{}); };
  auto device = open();
  if (!device.ok()) {
    std::fprintf(stderr, "golden-record: %s\n", device.error().to_string().c_str());
    return exit_status(device.error().kind);
  }
  const std::string description = (*device)->description();
  std::string entries;
  unsigned recorded = 0;
  unsigned failed = 0;
  for (const GoldenCase& golden : all_cases()) {
    if (golden.name.find(options.only) == std::string::npos) continue;
    const auto start = std::chrono::steady_clock::now();
    std::string hash;
    const Status status = record(**device, golden, options, hash);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!status.ok()) {
      ++failed;
      std::printf("FAILED  %-28s %s\n", golden.name.c_str(), status.error().to_string().c_str());
      // A fault leaves a GPU's context unusable: close it before another one is made.
      *device = nullptr;
      device = open();
      if (!device.ok()) {
        std::fprintf(stderr, "golden-record: %s\n", device.error().to_string().c_str());
        break;
      }
      continue;
    }
    ++recorded;
    std::printf("ok      %-28s %.3f s\n", golden.name.c_str(), seconds);
    std::fflush(stdout);
    entries += std::string(entries.empty() ? "" : ",") + "\n    {\"family\": " + json_string(golden.family) +
               ", \"name\": " + json_string(golden.name) + ", \"module\": " + json_string(golden.module) +
               ", \"ptx_fnv1a\": " + json_string(hash) + "}";
  }
  const std::string manifest = "{\n  \"device\": " + json_string(description) +
                               ",\n  \"date\": " + json_string(options.date) +
                               ",\n  \"script\": \"tests/golden/record.sh\",\n  \"cases\": [" + entries + "\n  ]\n}\n";
  if (const Status written = write_file(options.out + "/manifest.json", manifest); !written.ok()) {
    std::fprintf(stderr, "golden-record: %s\n", written.error().to_string().c_str());
    return 1;
  }
  std::printf("%u recorded, %u failed, on %s\n", recorded, failed, description.c_str());
  return failed == 0 ? 0 : 1;
}
