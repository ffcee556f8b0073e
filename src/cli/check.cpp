// warpwave check: is a module legal PTX, and what is in it: entries, parameters, resources.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/ptx_file.h"

namespace ww::cli {
namespace {

// What a function takes of the machine, as far as its text says.
struct Resources {
  uint64_t parameter_bytes = 0, shared_bytes = 0, local_bytes = 0;
  bool dynamic_shared = false;
  std::map<std::string, size_t> registers;  // by type: virtual registers, before any allocation
};

uint64_t place(uint64_t at, const ptx::Variable& variable) {
  const uint64_t alignment = std::max<uint64_t>(1, variable.alignment);
  return (at + alignment - 1) / alignment * alignment + variable.size;
}

Resources resources_of(const ptx::Module& module, const ptx::Function& function) {
  Resources result;
  for (const ptx::VariableId id : function.parameters)
    result.parameter_bytes = place(result.parameter_bytes, module.variables[id]);
  for (const ptx::Type type : function.register_types) ++result.registers[std::string(ptx::spelling(type))];
  std::vector<bool> seen(module.variables.size());
  const auto add = [&](ptx::VariableId id) {
    if (seen[id]) return;
    seen[id] = true;
    const ptx::Variable& variable = module.variables[id];
    if (variable.space == ptx::Space::kShared) {
      result.shared_bytes = place(result.shared_bytes, variable);
      result.dynamic_shared |= variable.is_unsized;
    } else if (variable.space == ptx::Space::kLocal) {
      result.local_bytes = place(result.local_bytes, variable);
    }
  };
  for (const ptx::Statement& statement : function.statements)
    if (statement.kind == ptx::StatementKind::kVariable) add(statement.index);
  for (const ptx::Operand& operand : function.operands)
    if (operand.kind == ptx::OperandKind::kVariable ||
        (operand.kind == ptx::OperandKind::kAddress && operand.base == ptx::OperandKind::kVariable))
      add(operand.index);
  return result;
}

std::string declaration(const ptx::Variable& variable) {
  std::string text = '.' + std::string(ptx::spelling(variable.type)) + ' ' + std::string(variable.name);
  if (variable.is_array) text += '[' + std::to_string(variable.size / std::max(1u, ptx::bits(variable.type) / 8)) + ']';
  return text;
}

void report_function(Context& context, const ptx::Module& module, const ptx::Function& function) {
  const Resources resources = resources_of(module, function);
  nlohmann::ordered_json entry;
  entry["name"] = function.name;
  entry["line"] = function.location.line;
  std::string line = (function.is_entry ? "entry " : "func ") + std::string(function.name) + '(';
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ptx::Variable& variable = module.variables[function.parameters[i]];
    line += (i == 0 ? "" : ", ") + declaration(variable);
    entry["parameters"].push_back({{"name", variable.name},
                                   {"type", ptx::spelling(variable.type)},
                                   {"bytes", variable.size},
                                   {"alignment", variable.alignment}});
  }
  print(context, line + ')');
  std::string registers;
  for (const auto& [type, count] : resources.registers) {
    registers += (registers.empty() ? "" : ", ") + std::to_string(count) + " ." + type;
    entry["registers"][type] = count;
  }
  entry["parameter_bytes"] = resources.parameter_bytes;
  entry["shared_bytes"] = resources.shared_bytes;
  entry["dynamic_shared"] = resources.dynamic_shared;
  entry["local_bytes"] = resources.local_bytes;
  entry["instructions"] = function.instructions.size();
  print(context, "    " + std::to_string(function.instructions.size()) +
                     " instructions; registers: " + (registers.empty() ? "none" : registers));
  print(context, "    bytes: " + std::to_string(resources.parameter_bytes) + " of parameters, " +
                     std::to_string(resources.shared_bytes) + " of shared memory" +
                     (resources.dynamic_shared ? " and what the launch adds" : "") + ", " +
                     std::to_string(resources.local_bytes) + " of local memory");
  const ptx::PerformanceDirectives& d = function.directives;
  for (const auto& [word, size] : {std::pair{"maxntid", d.maxntid}, std::pair{"reqntid", d.reqntid}}) {
    if (size[0] == 0) continue;
    entry[word] = size;
    print(context, std::string("    ") + (word[0] == 'm' ? "at most " : "exactly ") + std::to_string(size[0]) + " x " +
                       std::to_string(size[1]) + " x " + std::to_string(size[2]) + " threads a block");
  }
  context.report[function.is_entry ? "entries" : "functions"].push_back(std::move(entry));
}

Status run_check(Context& context, const std::string& input) {
  WW_ASSIGN(const PtxFile file, read_ptx_file(input));
  const std::shared_ptr<const ptx::Module>& module = file.module;
  const std::string version = std::to_string(module->version_major) + '.' + std::to_string(module->version_minor);
  context.report["version"] = version;
  context.report["target"] = module->targets.front();
  context.report["address_size"] = module->address_size;
  context.report["entries"] = nlohmann::ordered_json::array();
  context.report["functions"] = nlohmann::ordered_json::array();
  print(context, input + ": PTX " + version + " for " + std::string(module->targets.front()) + ", " +
                     std::to_string(module->address_size) + "-bit addresses");
  for (const ptx::Function& function : module->functions)
    if (!function.is_declaration) report_function(context, *module, function);
  return {};
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto input = std::make_shared<std::string>();
  CLI::App* command =
      add_command(app, context, "check", "Whether a module is legal PTX, and what is in it",
                  "warpwave check kernels.ptx", [&context, input] { return run_check(context, *input); });
  command->add_option("module", *input, "PTX text")->required()->type_name("FILE");
}

}  // namespace ww::cli
