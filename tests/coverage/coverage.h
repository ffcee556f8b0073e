// What is known of each form: whether an H200 has answered, and whether sim and cpu answer the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "coverage/forms.h"

namespace ww::coverage {

// By the form's name: the hash of its results on an H200 (h200.txt, h200_images.txt). Empty if the file is missing.
std::map<std::string, uint64_t> read_record(const std::string& path);

// By the form's name: the comment above its group (known_differences.txt, image_differences.txt, not_recorded.txt). A
// line "cpu NAME" or "sim NAME" is of that device alone, and of none if `device` is empty.
std::map<std::string, std::string> read_reasons(const std::string& path, const std::string& device);

enum class FormClass : uint8_t {
  kExact,        // the manual says what the bits are, or the hardware's are known to be constant
  kApproximate,  // the manual gives an error (is_approximate)
  kRefused,      // legal PTX 9.0, and refused by name
};

// What a device gave for the recorded forms: "" where its bits are the H200's, else what was wrong. Forms without an
// entry were not run.
using Answers = std::map<std::string, std::string>;

struct FormState {
  std::string name, family;  // family: the opcode
  FormClass form_class = FormClass::kExact;
  bool recorded = false, sim_equal = false, cpu_equal = false;
  std::string reason;  // why it is refused, not recorded or not equal; "" if none of these
};

// The record and the lists of reasons that stand in tests/coverage.
struct Known {
  std::map<std::string, uint64_t> record;
  std::map<std::string, std::string> not_recorded, sim, cpu;  // reasons

  static Known read();
};

// All legal forms, in the table's order.
std::vector<FormState> form_states(const Known& known, const Answers& sim, const Answers& cpu);

// Whether the page's table has a row for each opcode with these numbers of forms, of refused and of recorded ones; ""
// or the first row that is missing.
std::string missing_row(const std::string& page, const std::vector<FormState>& states);

// docs/coverage.md: counts of each opcode, the errors of approximate forms, then what is missing, by reason. `measured`
// says when, where and how long.
std::string document(const std::vector<FormState>& states, const std::string& measured);

// {"forms", "refused", "exact": {"forms", "on_h200", "sim_equal", "cpu_equal"}, "approximate": {"forms", "on_h200",
// "bits_equal", "within_error"}, "not_equal": [{"form", "reason", "on_h200", "sim_equal", "cpu_equal"}]}; forms =
// refused + exact + approximate; within_error: it differs from the H200 by no more than the manual's bound.
std::string json(const std::vector<FormState>& states);

// A line a form: name, class, recorded or not, equal on sim, on cpu, the reason; between them tabs.
std::string listing(const std::vector<FormState>& states);

}  // namespace ww::coverage
