// Prints the hashes of a folder's pictures in the form of h200.txt: `gallery-hashes FOLDER`.
#include <cstdio>

#include "gallery/picture_hashes.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: gallery-hashes FOLDER\n");
    return 2;
  }
  const auto hashes = ww::testing::picture_hashes(argv[1]);
  if (!hashes.ok()) {
    std::fprintf(stderr, "gallery-hashes: %s\n", hashes.error().to_string().c_str());
    return 1;
  }
  for (const auto& [name, hash] : *hashes) std::printf("%s %s\n", hash.c_str(), name.c_str());
  return 0;
}
