// What devices answer for tiles of matrix instructions.
//
// usage: tile-probe list                                   the forms
//        tile-probe text FORM                              its kernels
//        tile-probe record DEVICE [options]                a line a form, to standard output (tile_record.h)
//        tile-probe check DEVICE RECORD [options]          the forms whose batches (--groups N: groups) differ
//        tile-probe results DEVICE FILE [options]          results of the first tiles of one batch
//        tile-probe compare DEVICE OTHER [options]         tiles that differ; OTHER: a device, or such a FILE
//          DEVICE may be "model" for check: the chip's model by itself (devicelib/mma.h), without a device around it
// options: --only TEXT (in the form's name), --batch N (of results and compare), --batches N (from there), --pairs N
// (of the batch: 2048), --groups N, --show N (tiles that are printed), --operands device (check: the device makes them,
// as `record` does; else the host), --isa v2|v3|v4, --threads N
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "device/registry.h"
#include "support/probe.h"
#include "tiles/tile_record.h"
#include "tiles/tile_runner.h"

namespace {

using namespace ww;
using namespace ww::tiles;
using testing::fail;

struct Options {
  std::string only;
  uint32_t batch = 0, batches = 1, pairs = kBatchPairs, groups = 0, show = 3;
  bool device_makes_operands = false;
  DeviceOptions device;
};

std::vector<TileForm> chosen_forms(const Options& options) {
  std::vector<TileForm> chosen;
  for (TileForm& form : tile_forms())
    if (form.name.find(options.only) != std::string::npos) chosen.push_back(std::move(form));
  return chosen;
}

Result<TileRecord> record_form(Device& device, const TileForm& form, uint32_t groups) {
  WW_ASSIGN(const auto module, device.load_module(hash_kernel(form), form.name));
  TileRecord record;
  WW_ASSIGN(const std::vector<uint64_t> all,
            hash_batches(device, *module, 0, std::max(kSingleBatches, groups * kGroupBatches)));
  record.batches.assign(all.begin(), all.begin() + kSingleBatches);
  for (uint32_t g = 0; g < groups; ++g)
    record.groups.push_back(group_hash(std::span(all).subspan(g * kGroupBatches, kGroupBatches)));
  return record;
}

int record(const std::string& name, const Options& options) {
  auto device = open_device(name, options.device);
  if (!device.ok()) return fail(device.error());
  int status = 0;
  for (const TileForm& form : chosen_forms(options)) {
    auto made = record_form(**device, form, options.groups);
    if (made.ok()) {
      std::fputs(record_line(form.name, *made).c_str(), stdout);
    } else {
      std::fprintf(stderr, "%s: %s\n", form.name.c_str(), made.error().to_string().c_str());
      status = 1;
    }
  }
  return status;
}

using HashBatches = std::function<Result<std::vector<uint64_t>>(uint32_t first, uint32_t count)>;

// What differs, in words; "" if nothing does.
Result<std::string> check_form(const HashBatches& hashes_of, const TileRecord& record, uint32_t groups) {
  std::string differ;
  if (groups == 0) {
    WW_ASSIGN(const std::vector<uint64_t> hashes, hashes_of(0, uint32_t(record.batches.size())));
    for (size_t b = 0; b < record.batches.size(); ++b)
      if (hashes[b] != record.batches[b]) differ += " batch " + std::to_string(b);
    return differ;
  }
  for (uint32_t g = 0; g < groups && g < record.groups.size(); ++g) {
    WW_ASSIGN(const std::vector<uint64_t> hashes, hashes_of(g * kGroupBatches, kGroupBatches));
    if (group_hash(hashes) != record.groups[g]) differ += " group " + std::to_string(g);
  }
  return differ;
}

Result<std::string> check_on_device(Device& device, const TileForm& form, const TileRecord& record,
                                    const Options& options) {
  if (options.device_makes_operands) {
    WW_ASSIGN(const auto module, device.load_module(hash_kernel(form), form.name));
    return check_form([&](uint32_t first, uint32_t count) { return hash_batches(device, *module, first, count); },
                      record, options.groups);
  }
  WW_ASSIGN(TileRunner runner, TileRunner::create(device, form));
  return check_form(
      [&](uint32_t first, uint32_t count) -> Result<std::vector<uint64_t>> {
        std::vector<uint64_t> hashes;
        for (uint32_t b = first; b < first + count; ++b) {
          WW_ASSIGN(const uint64_t hash, runner.batch_hash(b));
          hashes.push_back(hash);
        }
        return hashes;
      },
      record, options.groups);
}

// A line a form. `name`: a device, or "model".
int check(const std::string& name, const std::string& path, const Options& options) {
  std::unique_ptr<Device> device;
  if (name != "model") {
    auto opened = open_device(name, options.device);
    if (!opened.ok()) return fail(opened.error());
    device = std::move(*opened);
  }
  const auto records = read_records(path);
  if (!records.ok()) return fail(records.error());
  unsigned equal = 0, different = 0, failed = 0;
  for (const TileForm& form : chosen_forms(options)) {
    const auto known = records->find(form.name);
    if (known == records->end()) {
      std::printf("not recorded: %s\n", form.name.c_str());
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    const auto differ = device != nullptr ? check_on_device(*device, form, known->second, options)
                                          : check_form(
                                                [&](uint32_t first, uint32_t count) {
                                                  return model_hashes(form, first, count, options.device.host_isa);
                                                },
                                                known->second, options.groups);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const uint32_t batches = options.groups == 0
                                 ? uint32_t(known->second.batches.size())
                                 : std::min(options.groups, uint32_t(known->second.groups.size())) * kGroupBatches;
    if (!differ.ok()) {
      ++failed;
      std::printf("FAILED %s: %s\n", form.name.c_str(), differ.error().to_string().c_str());
    } else if (!differ->empty()) {
      ++different;
      std::printf("DIFFERS %s:%s\n", form.name.c_str(), differ->c_str());
    } else {
      ++equal;
      std::printf("equal %s: %u tiles, %.1f s%s\n", form.name.c_str(), batches * kBatchPairs * 2, seconds,
                  form.is_tensor_core ? "" : ", not the tensor core");
    }
    std::fflush(stdout);
  }
  std::printf("%u equal, %u differ, %u failed\n", equal, different, failed);
  return different + failed != 0;
}

// A file of results: for each form a line with its name, the first pair and the number of words, then the words.
int results(const std::string& name, const std::string& path, const Options& options) {
  auto device = open_device(name, options.device);
  if (!device.ok()) return fail(device.error());
  std::ofstream file(path, std::ios::binary);
  int status = 0;
  for (const TileForm& form : chosen_forms(options)) {
    auto runner = TileRunner::create(**device, form);
    auto words = runner.ok() ? runner->run(options.batch * kBatchPairs, options.pairs) : runner.error();
    if (!words.ok()) {
      std::fprintf(stderr, "%s: %s\n", form.name.c_str(), words.error().to_string().c_str());
      status = 1;
      continue;
    }
    file << form.name << ' ' << options.batch * kBatchPairs << ' ' << words->size() << '\n';
    file.write(reinterpret_cast<const char*>(words->data()), std::streamsize(words->size() * 4));
  }
  return file.flush() ? status : 1;
}

Result<std::vector<uint32_t>> read_results(const std::string& path, const std::string& form, uint32_t& first) {
  std::ifstream file(path, std::ios::binary);
  std::string name;
  size_t count = 0;
  while (file >> name >> first >> count) {
    file.get();
    std::vector<uint32_t> words(count);
    file.read(reinterpret_cast<char*>(words.data()), std::streamsize(count * 4));
    if (name == form && file) return words;
  }
  return input_error(path, "holds no results of " + form);
}

// Prints one lane's operands and both results.
void print_lane(const TileForm& form, const uint32_t* operands, const uint32_t* one, const uint32_t* two, unsigned lane,
                unsigned steps) {
  std::printf("  lane %u\n", lane);
  const auto words = [&](const char* name, unsigned count) {
    std::printf("    %s", name);
    for (unsigned i = 0; i < count; ++i, operands += 32) std::printf(" %08x", operands[lane]);
    std::printf("\n");
  };
  words("a", form.a.words);
  words("b", form.b.words);
  words("c", form.c.words);
  words("turn", form.d.words);
  if (form.is_sparse) words("e", 1);
  for (unsigned step = 0; step < steps; ++step)
    for (const auto& [name, d] : {std::pair{"first", one}, {"second", two}}) {
      std::printf("    step %u, d of the %s", step, name);
      for (unsigned i = 0; i < form.d.words; ++i) std::printf(" %08x", d[(step * form.d.words + i) * 32 + lane]);
      std::printf("\n");
    }
}

int compare(const std::string& name, const std::string& other, const Options& options) {
  auto device = open_device(name, options.device);
  if (!device.ok()) return fail(device.error());
  std::unique_ptr<Device> second;
  if (!std::ifstream(other)) {
    auto opened = open_device(other, options.device);
    if (!opened.ok()) return fail(opened.error());
    second = std::move(*opened);
  }
  int status = 0;
  for (const TileForm& form : chosen_forms(options))
    for (uint32_t batch = options.batch; batch < options.batch + options.batches; ++batch) {
      const size_t own = size_t(form.d.words) * 64;
      uint32_t first = batch * kBatchPairs, count = options.pairs;
      Result<std::vector<uint32_t>> two = std::vector<uint32_t>();
      if (second == nullptr) {
        two = read_results(other, form.name, first);
        if (two.ok()) count = uint32_t(two->size() / own);
      } else {
        auto runner = TileRunner::create(*second, form);
        two = runner.ok() ? runner->run(first, count) : runner.error();
      }
      auto runner = TileRunner::create(**device, form);
      auto one = runner.ok() ? runner->run(first, count) : runner.error();
      if (!one.ok() || !two.ok()) {
        std::printf("FAILED %s: %s\n", form.name.c_str(), (one.ok() ? two : one).error().to_string().c_str());
        status = 1;
        continue;
      }
      uint32_t differ[2] = {}, shown = 0, words = 0;
      for (uint32_t pair = 0; pair < count; ++pair) {
        const uint32_t *x = one->data() + pair * own, *y = two->data() + pair * own;
        for (unsigned step = 0; step < 2; ++step) {
          const size_t half = own / 2;
          if (std::memcmp(x + step * half, y + step * half, half * 4) == 0) continue;
          ++differ[step];
          for (size_t i = 0; i < half; ++i) words += x[step * half + i] != y[step * half + i];
          if (shown++ < options.show) {
            size_t i = step * half;
            while (x[i] == y[i]) ++i;
            std::printf("%s: pair %u, step %u, word %zu, lane %zu: %08x, %08x\n", form.name.c_str(), first + pair, step,
                        (i - step * half) / 32, i % 32, x[i], y[i]);
            const auto operands = tile_operands(form, first + pair, 1);
            const unsigned lane = unsigned(i % 32);
            for (unsigned l = lane & ~3u; l < (lane & ~3u) + 4; ++l)
              print_lane(form, operands.data(), x, y, l, step + 1);
          }
          break;
        }
      }
      if (options.batches == 1 || differ[0] + differ[1] != 0)
        std::printf("%s: of %u pairs %u differ in the first step, %u only in the second; %u words\n", form.name.c_str(),
                    count, differ[0], differ[1], words);
      status |= differ[0] + differ[1] != 0;
    }
  return status;
}

int usage() {
  std::fputs(
      "usage: tile-probe list | text FORM | record DEVICE | check DEVICE RECORD | results DEVICE FILE | compare DEVICE "
      "OTHER  [--only TEXT] [--batch N] [--batches N] [--pairs N] [--groups N] [--show N] [--operands host|device] "
      "[--isa v2|v3|v4] "
      "[--threads N]\n",
      stderr);
  return 2;
}

int ask(int argc, char** argv) {
  Options options;
  std::vector<std::string> words;
  const auto take = [&](const std::string& option, const std::string& value) {
    uint32_t* const number = option == "--batch"     ? &options.batch
                             : option == "--pairs"   ? &options.pairs
                             : option == "--groups"  ? &options.groups
                             : option == "--batches" ? &options.batches
                             : option == "--show"    ? &options.show
                                                     : nullptr;
    if (number != nullptr) return std::sscanf(value.c_str(), "%u", number) == 1;
    if (option == "--operands") {
      options.device_makes_operands = value == "device";
      return value == "device" || value == "host";
    }
    if (option != "--only") return testing::read_device_option(option, value, options.device);
    options.only = value;
    return true;
  };
  if (!testing::read_command_line(argc, argv, words, take)) return usage();
  if (options.pairs == 0 || options.pairs > kBatchPairs) return usage();
  if (words.size() == 1 && words[0] == "list") {
    for (const TileForm& form : tile_forms())
      std::printf("%s: %u words of operands, %u selectors%s\n", form.name.c_str(), form.operand_words(), form.selectors,
                  form.is_tensor_core ? "" : ", not the tensor core");
    return 0;
  }
  if (words.size() == 2 && words[0] == "text") {
    options.only = words[1];
    for (const TileForm& form : chosen_forms(options)) {
      if (form.name == words[1]) std::printf("%s%s", hash_kernel(form).c_str(), tiles_kernel(form).c_str());
    }
    return 0;
  }
  if (words.size() == 2 && words[0] == "record") return record(words[1], options);
  if (words.size() == 3 && words[0] == "check") return check(words[1], words[2], options);
  if (words.size() == 3 && words[0] == "results") return results(words[1], words[2], options);
  if (words.size() == 3 && words[0] == "compare") return compare(words[1], words[2], options);
  return usage();
}

}  // namespace

int main(int argc, char** argv) {
  return testing::ended(ask(argc, argv));
}
