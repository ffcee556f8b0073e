// warpwave upscale: a sequence in, upscaled frames, a picture sheet and figures out.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/files.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/device_options.h"
#include "cli/interrupt.h"
#include "cli/output_check.h"
#include "cli/progress.h"
#include "cli/upscale_scores.h"
#include "frame/display.h"
#include "frame/exposure.h"
#include "frame/exr.h"
#include "frame/guides.h"
#include "frame/png.h"
#include "frame/sequence_frames.h"
#include "frame/sheet.h"
#include "net/upscaler.h"

namespace ww::cli {
namespace {

constexpr const char* kBaselines[] = {"bilinear", "lanczos", "taau"};

struct UpscaleOptions {
  std::string sequence, output;
  std::vector<std::string> methods;  // empty: the network
  net::UpscalerOptions upscaler;
  DeviceChoice device;
  size_t frames = 0;  // 0: all
};

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

struct Method {
  std::unique_ptr<net::Upscaler> upscaler;
  bool written = false;  // asked for: its frames are written
  Image last;            // its last output
};

class Upscale {
 public:
  Upscale(UpscaleOptions& options, Context& context) : options_(options), context_(context) {}

  Status run() {
    const Status status = process();
    report(status.ok());
    return status;
  }

 private:
  Status process() {
    context_.report["sequence"] = options_.sequence;
    context_.report["frames"] = 0;
    context_.report["methods"] = nlohmann::ordered_json::object();
    context_.report["device"] = options_.device.device;
    context_.report["numerics"] = options_.device.numerics;
    WW_TRY(choose_methods());
    WW_ASSIGN(sequence_, frame::read_sequence(options_.sequence));
    if (options_.frames != 0 && options_.frames < sequence_.frames.size()) sequence_.frames.resize(options_.frames);
    add_baselines();
    WW_TRY(frame::check_planes(sequence_));
    WW_TRY(make_folder(options_.output));
    WW_ASSIGN(device_, open_chosen(options_.device, context_));
    options_.upscaler.exact = options_.device.numerics == "exact";
    for (const std::string& name : methods_) {
      WW_ASSIGN(auto upscaler, net::make_upscaler(name, *device_, options_.upscaler));
      upscalers_.push_back({std::move(upscaler), contains(asked_, name), {}});
    }
    scores_ = std::make_unique<UpscaleScores>(methods_);
    frame::GuideChecker checker(sequence_);
    ProgressBar bar(sequence_.frames.size() * upscalers_.size(), context_.quiet);
    say(checker.check_description(), bar);
    for (size_t i = 0; i < sequence_.frames.size(); ++i) WW_TRY(process_frame(i, checker, bar));
    bar.clear();
    return write_sheet();
  }

  Status choose_methods() {
    asked_ = options_.methods;
    if (asked_.empty()) asked_ = {"network"};
    std::string known;
    for (const std::string& name : net::upscaler_names()) known += (known.empty() ? "" : ", ") + name;
    for (const std::string& name : asked_) {
      if (contains(net::upscaler_names(), name)) continue;
      Error error = usage_error("unknown upscaling method", "See `warpwave upscale --help`");
      error.found = "--method '" + name + "'";
      error.expected = "one or more of " + known;
      return error;
    }
    for (const std::string& name : asked_)
      if (!contains(methods_, name)) methods_.push_back(name);
    return {};
  }

  // Where the sequence has references, the network is shown beside every baseline.
  void add_baselines() {
    const bool references = std::any_of(sequence_.frames.begin(), sequence_.frames.end(),
                                        [](const frame::FrameEntry& f) { return !f.reference.empty(); });
    if (!references || !contains(methods_, "network")) return;
    std::vector<std::string> all;
    for (const char* name : kBaselines)
      if (!contains(methods_, name) && contains(net::upscaler_names(), name)) all.emplace_back(name);
    all.insert(all.end(), methods_.begin(), methods_.end());
    methods_ = std::move(all);
  }

  Status process_frame(size_t index, frame::GuideChecker& checker, ProgressBar& bar) {
    if (interrupted()) return interrupted_error();
    const frame::FrameEntry& entry = sequence_.frames[index];
    WW_ASSIGN(const frame::Frame planes, frame::load_frame(sequence_, index));
    const float exposure = exposure_of(entry, planes);
    log_guides(index, planes, exposure);
    say(checker.add(index, planes, exposure), bar);
    since_reset_ = entry.reset ? 0 : since_reset_ + 1;

    net::FrameInputs inputs;
    inputs.color = &planes.color;
    inputs.depth = &planes.depth;
    inputs.motion = &planes.motion;
    inputs.jitter_x = entry.jitter_x;
    inputs.jitter_y = entry.jitter_y;
    inputs.exposure = exposure;
    inputs.reset = entry.reset;
    inputs.render = sequence_.render;
    inputs.output = sequence_.output;
    inputs.depth_convention = sequence_.depth;
    const frame::DisplayTransform transform{sequence_.hdr, exposure};
    for (size_t m = 0; m < upscalers_.size(); ++m) {
      if (interrupted()) return interrupted_error();
      Method& method = upscalers_[m];
      bar.show(index * upscalers_.size() + m, "frame " + std::to_string(index) + ", " + methods_[m]);
      WW_TRY(method.upscaler->prepare(sequence_.render, sequence_.output));
      const auto start = std::chrono::steady_clock::now();
      WW_ASSIGN(Image output, method.upscaler->upscale(inputs));
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      WW_TRY(check_output(output, planes.color, index, *method.upscaler));
      scores_->add(methods_[m], output, planes.reference, transform, since_reset_, seconds.count());
      if (method.written) WW_TRY(write_frame(index, methods_[m], output, transform));
      method.last = std::move(output);
    }
    if (index + 1 == sequence_.frames.size()) {
      last_input_ = frame::to_display(planes.color, transform);
      last_reference_ = planes.reference.empty() ? Image() : frame::to_display(planes.reference, transform);
      last_transform_ = transform;
    }
    frames_done_ = index + 1;
    return {};
  }

  float exposure_of(const frame::FrameEntry& entry, const frame::Frame& planes) {
    if (!sequence_.hdr) return 1.0f;
    const float measured = meter_.next(planes.color, entry.reset);
    return entry.exposure.value_or(measured);
  }

  Status write_frame(size_t index, const std::string& method, const Image& output,
                     const frame::DisplayTransform& transform) {
    char number[24];
    std::snprintf(number, sizeof number, "_%04zu", index);
    const std::string base = options_.output + "/" + method + number;
    WW_TRY(frame::write_exr(base + ".exr", output, frame::kRgb, frame::SampleType::kHalf));
    return frame::write_png(base + ".png", frame::to_display(output, transform));
  }

  Status write_sheet() {
    std::vector<frame::SheetPanel> panels;
    const Size size = sequence_.output;
    panels.push_back({"input " + std::to_string(sequence_.render.width) + "x" + std::to_string(sequence_.render.height),
                      frame::enlarge(last_input_, size)});
    // The method that matters comes last among the methods, next to the reference.
    Image judged;
    std::string judged_name;
    for (size_t m = 0; m < methods_.size(); ++m) {
      if (methods_[m] == "lanczos" && methods_.size() > 3) continue;  // six panels make two rows
      judged = frame::to_display(upscalers_[m].last, last_transform_);
      judged_name = methods_[m];
      const auto psnr = scores_->last_psnr(judged_name);
      char text[32] = "";
      if (psnr) std::snprintf(text, sizeof text, " %.2f dB", *psnr);
      panels.push_back({judged_name + text, judged});
    }
    if (!last_reference_.empty()) {
      panels.push_back({"reference", last_reference_});
      panels.push_back({"error of " + judged_name + " x4", frame::error_picture(judged, last_reference_, 4.0f)});
    }
    const std::string path = options_.output + "/sheet.png";
    WW_TRY(frame::write_png(path, frame::make_sheet(panels)));
    sheet_ = path;
    return {};
  }

  void say(const std::vector<frame::GuideWarning>& warnings, ProgressBar& bar) {
    for (const frame::GuideWarning& warning : warnings) {
      bar.clear();
      log_warning(options_.sequence + ": " + warning.text);
      warnings_.push_back({{"kind", warning.kind}, {"text", warning.text}});
    }
  }

  void log_guides(size_t index, const frame::Frame& planes, float exposure) {
    if (!context_.verbose) return;
    const auto show = [&](const char* name, const Image& image, int channel) {
      const frame::ChannelRange range = frame::measure_channel(image, channel);
      char text[160];
      std::snprintf(text, sizeof text, "frame %zu: %-8s least %.6g, largest %.6g, mean %.6g", index, name, range.least,
                    range.largest, range.mean);
      log_debug(text);
    };
    show("color R", planes.color, 0);
    show("color G", planes.color, 1);
    show("color B", planes.color, 2);
    show("depth", planes.depth, 0);
    show("motion X", planes.motion, 0);
    show("motion Y", planes.motion, 1);
    const frame::FrameEntry& entry = sequence_.frames[index];
    char text[160];
    std::snprintf(text, sizeof text, "frame %zu: jitter %.6g, %.6g, exposure %.6g, %s", index, entry.jitter_x,
                  entry.jitter_y, exposure, entry.reset ? "reset" : "no reset");
    log_debug(text);
  }

  void report(bool done) {
    context_.report["frames"] = frames_done_;
    context_.report["render"] = {sequence_.render.width, sequence_.render.height};
    context_.report["output"] = {sequence_.output.width, sequence_.output.height};
    if (device_ != nullptr) context_.report["device_description"] = device_->description();
    if (scores_ != nullptr) context_.report["methods"] = scores_->json();
    context_.report["warnings"] = warnings_;
    context_.report["sheet"] = sheet_.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(sheet_);
    if (!done) return;
    for (const std::string& line : scores_->table()) print(context_, line);
    print(context_, std::to_string(frames_done_) + " frames in " + options_.output + ", side by side in " + sheet_);
  }

  UpscaleOptions& options_;
  Context& context_;
  frame::Sequence sequence_;
  std::vector<std::string> asked_, methods_;  // methods_: those asked for and the baselines beside them
  std::unique_ptr<Device> device_;
  std::vector<Method> upscalers_;  // one a method; destroyed before the device
  std::unique_ptr<UpscaleScores> scores_;
  frame::ExposureMeter meter_;
  nlohmann::ordered_json warnings_ = nlohmann::ordered_json::array();
  size_t since_reset_ = 0, frames_done_ = 0;
  Image last_input_, last_reference_;
  frame::DisplayTransform last_transform_;
  std::string sheet_;
};

}  // namespace

void add_upscale(CLI::App& app, Context& context) {
  const auto options = std::make_shared<UpscaleOptions>();
  CLI::App* command =
      add_command(app, context, "upscale", "Upscale the frames of a sequence, and measure them where it has references",
                  "warpwave upscale samples/gallery -o out --method network,taau --json out/report.json",
                  [options, &context] { return Upscale(*options, context).run(); });
  command->add_option("sequence", options->sequence, "Folder that holds sequence.json")->required()->type_name("SEQ");
  command
      ->add_option("-o,--output", options->output, "Folder for frames (EXR, PNG) and the picture sheet; made if absent")
      ->required()
      ->type_name("OUT");
  command->add_option("--method", options->methods, "network, bilinear, lanczos, taau; several separated by commas")
      ->delimiter(',');
  command->add_option("--model", options->upscaler.model, "model.json of the network (default: the shipped one)")
      ->type_name("FILE");
  command->add_option("--frames", options->frames, "Only the first N frames")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  add_device_options(*command, options->device, "fast");
}

}  // namespace ww::cli
