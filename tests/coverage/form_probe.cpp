// What devices answer for each form.
//
// usage: form-probe list                                forms, one a line: "kernel" if there is one for it, or "none"
//        form-probe text [options]                      the kernels, without a module's head
//        form-probe record DEVICE [options]             "hash name" for each form, to standard output
//        form-probe compare FIRST SECOND [options]      forms whose results differ, with examples
// options: --only TEXT (in the form's name), --shard K/N, --isa v2|v3|v4
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "coverage/form_runner.h"
#include "coverage/operand_values.h"
#include "device/registry.h"

namespace {

using namespace ww;
using namespace ww::coverage;

struct Options {
  std::string only;
  unsigned shard = 0, shards = 1;
  HostIsa isa = HostIsa::kNative;
};

int usage() {
  std::fputs(
      "usage: form-probe list | text | record DEVICE | compare FIRST SECOND  [--only TEXT] [--shard K/N] [--isa "
      "v2|v3|v4]\n",
      stderr);
  return 2;
}

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return exit_status(error.kind);
}

Result<std::unique_ptr<Device>> open(const std::string& name, const Options& options) {
  DeviceOptions device;
  device.host_isa = options.isa;
  return open_device(name, device);
}

std::vector<FormKernel> chosen_forms(const Options& options) {
  std::vector<FormKernel> chosen;
  for (FormKernel& form : form_kernels(options.shard, options.shards))
    if (form.form.name.find(options.only) != std::string::npos) chosen.push_back(std::move(form));
  return chosen;
}

int list() {
  for (const Form& form : written_forms())
    std::printf("%s\t%s\n", form_kernel(form, "k") ? "kernel" : "none", form.name.c_str());
  return 0;
}

int text(const Options& options) {
  for (const FormKernel& form : chosen_forms(options))
    std::printf("// %s\n%s", form.form.name.c_str(), form.kernel.text.c_str());
  return 0;
}

int record(const std::string& name, const Options& options) {
  auto device = open(name, options);
  if (!device.ok()) return fail(device.error());
  unsigned failed = 0;
  const auto forms = chosen_forms(options);
  const Status done = run_forms(**device, forms, [&](const FormKernel& form, Result<Results> results) {
    if (results.ok()) {
      std::printf("%016llx %s\n", static_cast<unsigned long long>(hash_of(*results)), form.form.name.c_str());
    } else {
      ++failed;
      std::fprintf(stderr, "%s: %s\n", form.form.name.c_str(), results.error().to_string().c_str());
    }
  });
  if (!done.ok()) return fail(done.error());
  return failed != 0;
}

void print_difference(const FormKernel& form, const Results& a, const Results& b) {
  unsigned differ = 0, shown = 0;
  std::string examples;
  const auto operands = operand_values(form.kernel.operands, form.form.name);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    ++differ;
    if (shown++ >= 6) continue;
    char text[64];
    examples += "   ";
    for (size_t k = 0; k < form.kernel.operands.size(); ++k) {
      std::snprintf(text, sizeof text, " %s=%llx", form.kernel.operands[k].name.c_str(),
                    static_cast<unsigned long long>(operands[k * kThreads + i % kThreads]));
      examples += text;
    }
    std::snprintf(text, sizeof text, " -> result %zu (%s): %llx, %llx\n", i / kThreads,
                  form.kernel.results[i / kThreads].name.c_str(), static_cast<unsigned long long>(a[i]),
                  static_cast<unsigned long long>(b[i]));
    examples += text;
  }
  std::printf("DIFFER %s: %u of %zu\n    %s\n%s", form.form.name.c_str(), differ, a.size(),
              form.kernel.lines[0].c_str(), examples.c_str());
}

int compare(const std::string& first, const std::string& second, const Options& options) {
  std::unique_ptr<Device> devices[2];
  for (int i = 0; i < 2; ++i) {
    auto device = open(i == 0 ? first : second, options);
    if (!device.ok()) return fail(device.error());
    devices[i] = std::move(*device);
  }
  const auto forms = chosen_forms(options);
  std::map<std::string, Results> expected;
  unsigned equal = 0, different = 0, failed = 0;
  const auto note = [&](const std::string& name, const FormKernel& form, const Error& error) {
    ++failed;
    std::printf("FAILED %s on %s: %s\n", form.form.name.c_str(), name.c_str(), error.to_string().c_str());
  };
  Status done = run_forms(*devices[0], forms, [&](const FormKernel& form, Result<Results> results) {
    if (results.ok())
      expected[form.form.name] = std::move(*results);
    else
      note(first, form, results.error());
  });
  if (!done.ok()) return fail(done.error());
  done = run_forms(*devices[1], forms, [&](const FormKernel& form, Result<Results> results) {
    const auto other = expected.find(form.form.name);
    if (!results.ok()) return note(second, form, results.error());
    if (other == expected.end()) return;
    if (*results == other->second) {
      ++equal;
      return;
    }
    ++different;
    print_difference(form, other->second, *results);
  });
  if (!done.ok()) return fail(done.error());
  std::printf("%zu forms: %u equal, %u differ, %u failed\n", forms.size(), equal, different, failed);
  return different + failed != 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);  // what a device's crash leaves behind is whole lines
  Options options;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!argument.starts_with("--")) {
      words.push_back(argument);
      continue;
    }
    if (i + 1 >= argc) return usage();
    const std::string value = argv[++i];
    if (argument == "--only")
      options.only = value;
    else if (argument == "--shard" && std::sscanf(value.c_str(), "%u/%u", &options.shard, &options.shards) == 2 &&
             options.shard < options.shards)
      continue;
    else if (argument == "--isa" && (value == "v2" || value == "v3" || value == "v4"))
      options.isa = value == "v2" ? HostIsa::kV2 : value == "v3" ? HostIsa::kV3 : HostIsa::kV4;
    else
      return usage();
  }
  if (words.size() == 1 && words[0] == "list") return list();
  if (words.size() == 1 && words[0] == "text") return text(options);
  if (words.size() == 2 && words[0] == "record") return record(words[1], options);
  if (words.size() == 3 && words[0] == "compare") return compare(words[1], words[2], options);
  return usage();
}
