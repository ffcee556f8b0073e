// Options of the sanitizers in every fuzzer. A small quarantine and short stacks of allocations: with the defaults most
// of the time goes into fresh pages.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=4:malloc_context_size=6";
}
