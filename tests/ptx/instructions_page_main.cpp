// Prints docs/instructions.md: `ptx-instructions-page > docs/instructions.md` after a change of the instruction table.
#include <cstdio>

#include "ptx/table_markdown.h"

int main() {
  const std::string page = ww::ptx::instructions_markdown();
  std::fwrite(page.data(), 1, page.size(), stdout);
  return 0;
}
