// No way of ending leaves a temporary file: an error, an early return, a cut-off in the middle of a write.
#include "base/temporary_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files.h"
#include "support/temporary_folder.h"

namespace ww {
namespace {

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(TemporaryFile, IsRenamedWhenItIsWhole) {
  testing::TemporaryFolder folder;
  TemporaryFile file(folder.file("a"));
  file.write(bytes_of("first, "));
  EXPECT_TRUE(std::filesystem::exists(file.name()));
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
  file.write(bytes_of("second"));
  file.commit();
  EXPECT_EQ(file.code(), 0);
  const auto bytes = read_file(folder.file("a"));
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(std::string(bytes->begin(), bytes->end()), "first, second");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(TemporaryFile, VanishesIfItIsNotCommitted) {
  testing::TemporaryFolder folder;
  {
    TemporaryFile file(folder.file("a"));
    file.write(bytes_of("half of"));
    EXPECT_EQ(folder.entries(), 1u);
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(TemporaryFile, VanishesIfItsTargetCannotBeReplaced) {
  testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("a"));
  {
    TemporaryFile file(folder.file("a"));
    file.write(bytes_of("text"));
    file.commit();
    EXPECT_EQ(file.code(), EISDIR);
  }
  EXPECT_EQ(folder.entries(), 1u);
}

// A process that writes files on many threads and has others half written; it gives all up and exits. The parent finds
// whole files and nothing else.
TEST(TemporaryFile, ACutOffLeavesWholeFilesOnly) {
  testing::TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // As in a command that is cut off, no destructor runs.
    auto* half = new TemporaryFile(folder.file("half"));
    half->write(bytes_of("half of"));
    auto* unwritten = new TemporaryFile(folder.file("unwritten"));
    if (half->code() != 0 || unwritten->code() != 0) ::_exit(1);
    for (int writer = 0; writer < 4; ++writer) {
      std::thread([&folder, writer] {
        const std::string text(1 << 16, 'x');
        for (int n = 0;; ++n) {
          const std::string name = folder.file("whole-" + std::to_string(writer) + "-" + std::to_string(n % 50));
          if (!write_file(name, std::string_view(text)).ok()) ::_exit(2);
        }
      }).detach();
    }
    ::usleep(50'000);
    abandon_temporary_files();
    ::usleep(20'000);  // the writers are still there
    ::_exit(130);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_TRUE(entry.path().filename().string().starts_with("whole-")) << entry.path();
    EXPECT_EQ(entry.path().string().find(".part-"), std::string::npos) << entry.path();
    EXPECT_EQ(entry.file_size(), size_t{1} << 16) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0u);
}

}  // namespace
}  // namespace ww
