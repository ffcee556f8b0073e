// Work on forms in processes of its own, so that what crashes or hangs a device's compiler or driver costs one form.
//
// A worker is this program with the same arguments and `--worker K/N` behind them: it works on every N-th form and
// announces on standard output what it is about to do (`announce`), and that it is done (`announce_end`); its other
// lines are results. When it dies, its form is told of as lost, and another worker goes on with the next. One that ends
// before its first form (a GPU that another worker has just failed refuses newcomers) is started again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "coverage/form_runner.h"

namespace ww::coverage {

enum class Step { kCompile, kRun };

// In a worker: the form's next step.
void announce(Step step, const Form& form);
// In a worker: all its forms have been dealt with.
void announce_end();
// In a worker: the exit status after a form that failed while it ran, which leaves a GPU unusable to its process.
constexpr int kDeviceLost = 9;

struct WorkerPlan {
  std::vector<std::string> command;  // the program and its arguments
  unsigned workers = 1;
  unsigned seconds = 60;  // a form that announces nothing for so long is ended
  // "" or the path of NVIDIA's ptxas: a form that crashed a worker while it was compiled is compiled by that instead,
  // and the worker that takes it on gets `--machine-code FILE` for it.
  std::string assembler;
  // The forms of worker k, in its order; a worker that goes on gets `--from NAME`.
  std::function<std::vector<FormKernel>(unsigned worker)> forms;
};

// Runs them all; their lines go to standard output, lost forms ("NAME: what happened") to standard error.
// False: forms were lost, or a worker ended with another status than 0.
bool run_workers(const WorkerPlan& plan);

}  // namespace ww::coverage
