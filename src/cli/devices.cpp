// warpwave devices: what can run here, and for what can't, why and what to do.
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "device/registry.h"

namespace ww::cli {
namespace {

Status run_devices(Context& context) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DeviceStatus& status : list_devices()) {
    nlohmann::ordered_json entry;
    entry["name"] = status.name;
    entry["available"] = status.available;
    std::string line = status.name + std::string(status.name.size() < 12 ? 12 - status.name.size() : 1, ' ');
    if (status.available) {
      entry["description"] = status.description;
      line += status.description;
    } else {
      entry["reason"] = status.reason;
      entry["fix"] = status.fix;
      line += "not available: " + status.reason + (status.fix.empty() ? "" : ". " + status.fix);
    }
    list.push_back(std::move(entry));
    print(context, line);
  }
  context.report["devices"] = std::move(list);
  return {};
}

}  // namespace

void add_devices(CLI::App& app, Context& context) {
  add_command(app, context, "devices", "What can run here, and why not", "warpwave devices --json devices.json",
              [&context] { return run_devices(context); });
}

}  // namespace ww::cli
