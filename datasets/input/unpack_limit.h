#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "datasets/input/limits.h"

namespace halo {

/// The key and the environment variable that set another limit (limits.h), as messages name them.
const std::string& memoryLimitText();

/// So much of a packed text was unpacked as the object below allows.
class UnpackedEnough : public Swollen {
 public:
  UnpackedEnough(const std::filesystem::path& file, double bytes, std::int64_t line = 0);
  double bytes;
};

/// Limits, for this thread and as long as the object lives, how many bytes a packed text is unpacked to. For
/// what is looked at by several readers. A limit that the user has set counts instead.
class UnpackLimit {
 public:
  explicit UnpackLimit(double bytes);
  ~UnpackLimit();
  UnpackLimit(const UnpackLimit&) = delete;
  UnpackLimit& operator=(const UnpackLimit&) = delete;
  /// Throws UnpackedEnough for more than it allows.
  static void require(double bytes, const std::filesystem::path& file);
};

}  // namespace halo
