// The subcommands: each puts itself on the command line. One file a subcommand: devices.cpp, run.cpp, ...
#pragma once

#include "cli/context.h"

namespace ww::cli {

#define WW_COMMAND(name) void add_##name(CLI::App& app, Context& context);
#include "cli/commands.def"
#undef WW_COMMAND

}  // namespace ww::cli
