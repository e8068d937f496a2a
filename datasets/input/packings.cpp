#include "datasets/input/packings.h"

#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr const char* kPackings[] = {"", ".gz", ".xz", ".bz2", ".zst"};  // plain is taken first

}  // namespace

void refusePipe(const std::filesystem::path& file) {
  std::error_code unseen;  // its reader says why
  if (std::filesystem::is_other(file, unseen))
    throw DamagedInput({.file = file.string(), .message = "is a pipe, a device or a socket; a plain file"});
}

std::filesystem::path plainOrPacked(const std::filesystem::path& path) {
  for (const char* packing : kPackings)
    if (auto file = std::filesystem::path(path).concat(packing); std::filesystem::is_regular_file(file))
      return file;
  for (const char* packing : kPackings) refusePipe(std::filesystem::path(path).concat(packing));
  return {};
}

void remarkOthers(const std::filesystem::path& path, std::vector<std::string>& remarks) {
  std::string others;
  const auto source = plainOrPacked(path);
  for (const char* packing : kPackings)
    if (const auto file = std::filesystem::path(path).concat(packing);
        file != source && std::filesystem::is_regular_file(file))
      others += (others.empty() ? "" : ", ") + file.filename().string();
  if (!others.empty())
    remarks.push_back(source.filename().string() + " is read; there is also, not read: " + others);
}

void remarkOthers(const std::vector<std::filesystem::path>& files, std::vector<std::string>& remarks) {
  for (const auto& file : files)
    if (!file.empty()) remarkOthers(std::filesystem::path(withoutPacking(file)), remarks);
}

std::string withoutPacking(const std::filesystem::path& file) {
  std::string name = file.string();
  for (const char* packing : kPackings)
    if (*packing != 0 && name.ends_with(packing))
      return name.substr(0, name.size() - std::string(packing).size());
  return name;
}

}  // namespace halo
