// warpwave scene: renders a sequence of a made-up game, with references, on any device.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/device_options.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "frame/exr.h"
#include "frame/sequence.h"
#include "net/scene_renderer.h"

namespace ww::cli {
namespace {

constexpr uint32_t kDefaultSeed = 95;  // of the samples: a moderate camera in the gallery
constexpr int kLargestOutput = 8192;

struct SceneOptions {
  net::SceneOptions scene;
  std::string output, render = "320x180";
  double scale = 2.0;
  int frames = 12, start = 0;
  bool no_particles = false, no_cuts = false, compact = false;
  DeviceChoice device;
};

Status known_scene(const std::string& name) {
  WW_ASSIGN([[maybe_unused]] const uint32_t number, net::scene_number(name));
  return {};
}

// "WxH".
Result<Size> parse_size(const std::string& text) {
  Size size;
  int used = 0;
  const bool read = std::sscanf(text.c_str(), "%dx%d%n", &size.width, &size.height, &used) == 2;
  if (read && used == static_cast<int>(text.size()) && size.width > 0 && size.height > 0 &&
      size.width <= kLargestOutput && size.height <= kLargestOutput)
    return size;
  Error error = usage_error("the render size is not one", "Write --render 320x180");
  error.found = "--render '" + text + "'";
  error.expected = "WIDTHxHEIGHT, each 1 to " + std::to_string(kLargestOutput);
  return error;
}

Result<Size> output_size(Size render, double scale) {
  const Size size{static_cast<int>(render.width * scale + 0.5), static_cast<int>(render.height * scale + 0.5)};
  if (size.width <= kLargestOutput && size.height <= kLargestOutput) return size;
  Error error = usage_error("the output would be too large", "Choose a smaller --render or --scale");
  error.found = std::to_string(size.width) + "x" + std::to_string(size.height);
  error.expected = "at most " + std::to_string(kLargestOutput) + " a side";
  return error;
}

Status write_planes(frame::Sequence& sequence, const net::SceneFrame& planes, int number) {
  char suffix[24];
  std::snprintf(suffix, sizeof suffix, "_%04d.exr", number);
  frame::FrameEntry entry;
  entry.color = std::string("color") + suffix;
  entry.depth = std::string("depth") + suffix;
  entry.motion = std::string("motion") + suffix;
  if (!planes.reference.empty()) entry.reference = std::string("reference") + suffix;
  entry.jitter_x = planes.jitter_x;
  entry.jitter_y = planes.jitter_y;
  entry.exposure = planes.exposure;
  entry.reset = planes.reset || sequence.frames.empty();
  using frame::SampleType;
  WW_TRY(frame::write_exr(sequence.path_of(entry.color), planes.color, frame::kRgb, SampleType::kHalf));
  WW_TRY(frame::write_exr(sequence.path_of(entry.depth), planes.depth, frame::kDepthZ, SampleType::kFloat));
  WW_TRY(frame::write_exr(sequence.path_of(entry.motion), planes.motion, frame::kMotionXy, SampleType::kFloat));
  if (!entry.reference.empty())
    WW_TRY(frame::write_exr(sequence.path_of(entry.reference), planes.reference, frame::kRgb, SampleType::kHalf));
  sequence.frames.push_back(std::move(entry));
  return {};
}

Status run_scene(SceneOptions& options, Context& context) {
  context.report["scene"] = options.scene.family;
  context.report["seed"] = options.scene.seed;
  context.report["frames"] = 0;
  WW_TRY(known_scene(options.scene.family));
  WW_ASSIGN(options.scene.render, parse_size(options.render));
  WW_ASSIGN(options.scene.output, output_size(options.scene.render, options.scale));
  options.scene.particles = !options.no_particles;
  options.scene.cuts = !options.no_cuts;
  WW_TRY(make_folder(options.output));
  WW_ASSIGN(const auto device, open_chosen(options.device, context));
  WW_ASSIGN(const auto renderer, net::SceneRenderer::make(*device, options.scene));

  frame::Sequence sequence;
  sequence.folder = options.output;
  sequence.render = options.scene.render;
  sequence.output = options.scene.output;
  sequence.depth = {DepthKind::kInverted, net::kSceneNear, net::kSceneFar};
  // Written last, so that a folder with a description is a whole sequence; one from before describes other planes.
  std::error_code absent;
  std::filesystem::remove(sequence.path_of("sequence.json"), absent);
  ProgressBar bar(static_cast<size_t>(options.frames), context.quiet);
  for (int i = 0; i < options.frames; ++i) {
    if (interrupted()) return interrupted_error();
    bar.show(static_cast<size_t>(i), "frame " + std::to_string(i));
    WW_ASSIGN(net::SceneFrame planes, renderer->render(options.start + i));
    if (options.compact) net::make_compact(planes);
    sequence.fov_y = planes.fov_y;
    WW_TRY(write_planes(sequence, planes, i));
    context.report["frames"] = i + 1;
  }
  bar.clear();
  WW_TRY(frame::write_sequence(sequence));
  context.report["render"] = {sequence.render.width, sequence.render.height};
  context.report["output"] = {sequence.output.width, sequence.output.height};
  print(context, std::to_string(options.frames) + " frames of " + options.scene.family + " in " + options.output);
  return {};
}

}  // namespace

void add_scene(CLI::App& app, Context& context) {
  const auto options = std::make_shared<SceneOptions>();
  options->scene.seed = kDefaultSeed;
  CLI::App* command = add_command(app, context, "scene", "Render a sequence of a made-up game, with references",
                                  "warpwave scene gallery -o out/gallery --render 320x180 --scale 2 --frames 12",
                                  [options, &context] { return run_scene(*options, context); });
  std::string names;
  for (const std::string& name : net::scene_names()) names += (names.empty() ? "" : ", ") + name;
  command->add_option("name", options->scene.family, "One of " + names)->required()->type_name("NAME");
  command->add_option("-o,--output", options->output, "Folder for the sequence; made if absent")
      ->required()
      ->type_name("SEQ");
  command->add_option("--render", options->render, "Size of the game's frames")
      ->type_name("WxH")
      ->capture_default_str();
  command->add_option("--scale", options->scale, "Output size over render size")
      ->check(CLI::Range(1.0, 8.0))
      ->capture_default_str();
  command->add_option("--frames", options->frames, "How many frames")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--start", options->start, "First frame")->check(CLI::Range(0, 1000000))->capture_default_str();
  command->add_option("--seed", options->scene.seed, "Which scene of the family")->capture_default_str();
  command->add_option("--samples", options->scene.samples, "Samples a pixel of the references; 0: no references")
      ->check(CLI::Range(0u, 4096u))
      ->capture_default_str();
  command->add_flag("--no-particles", options->no_particles, "Leave out particles, which have no motion vectors");
  command->add_flag("--no-cuts", options->no_cuts, "One camera for all frames");
  command->add_flag("--motion-errors", options->scene.motion_errors, "Some moving objects claim to stand still");
  command->add_flag("--compact", options->compact, "Round planes so that they compress well (the samples are made so)");
  add_device_options(*command, options->device, "exact");
}

}  // namespace ww::cli
