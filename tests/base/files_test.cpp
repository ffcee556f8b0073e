// Whole files in and out.
#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace ww {
namespace {

TEST(Files, WritesAndReplaces) {
  testing::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.file("a"), std::string_view("first")).ok());
  ASSERT_TRUE(write_file(folder.file("a"), std::string_view("second")).ok());
  const auto bytes = read_file(folder.file("a"));
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(std::string(bytes->begin(), bytes->end()), "second");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Files, MissingFolderIsARuntimeErrorWithRemedy) {
  testing::TemporaryFolder folder;
  const auto status = write_file(folder.file("no/such/file"), std::string_view("x"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kRuntime);
  EXPECT_EQ(status.error().to_string(),
            folder.file("no/such/file") +
                ": cannot write: No such file or directory. Make the folder first, or choose another one");
}

TEST(Files, AFullDiskIsARuntimeError) {
  const auto status = write_file("/dev/full", std::string_view("x"));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("No space left"), std::string::npos);
}

TEST(Files, ALinkStaysAndItsFileIsReplaced) {
  testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("there"));
  ASSERT_TRUE(write_file(folder.file("there/a"), std::string_view("first")).ok());
  std::filesystem::create_symlink("there/a", folder.file("link"));
  ASSERT_TRUE(write_file(folder.file("link"), std::string_view("second")).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  const auto bytes = read_file(folder.file("there/a"));
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(std::string(bytes->begin(), bytes->end()), "second");
}

TEST(Files, AnOpenFileIsAppendedTo) {
  testing::TemporaryFolder folder;
  const int fd = ::open(folder.file("a").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::write(fd, "first, ", 7), 7);
  ASSERT_TRUE(write_file("/dev/fd/" + std::to_string(fd), std::string_view("second")).ok());
  ::close(fd);
  const auto bytes = read_file(folder.file("a"));
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(std::string(bytes->begin(), bytes->end()), "first, second");
}

TEST(Files, RefusesFoldersAndTooLargeFiles) {
  testing::TemporaryFolder folder;
  EXPECT_FALSE(read_file(folder.path()).ok());
  ASSERT_TRUE(write_file(folder.file("a"), std::string_view("12345")).ok());
  EXPECT_TRUE(read_file(folder.file("a"), 5).ok());
  EXPECT_FALSE(read_file(folder.file("a"), 4).ok());
}

TEST(Files, MakesFoldersButNotOverAFile) {
  testing::TemporaryFolder folder;
  EXPECT_TRUE(make_folder(folder.file("a/b/c")).ok());
  EXPECT_TRUE(make_folder(folder.file("a/b/c")).ok());
  ASSERT_TRUE(write_file(folder.file("f"), std::string_view("x")).ok());
  EXPECT_FALSE(make_folder(folder.file("f")).ok());
  EXPECT_FALSE(make_folder(folder.file("f/g")).ok());
}

}  // namespace
}  // namespace ww
