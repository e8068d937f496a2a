#pragma once

#include <filesystem>
#include <string>

#include "engine/base/matrix.h"
#include "engine/base/problem.h"

namespace halo {

/// The key and the environment variable that set another limit, as messages name them.
inline constexpr const char* kMemoryLimitKey = "dataset.memory_limit_gib";
inline constexpr const char* kMemoryLimitVariable = "HALO_MEMORY_LIMIT_GIB";

/// Memory that any file may ask for, however short it is.
inline constexpr double kUnjustifiedBytes = 1073741824;
/// Bytes of memory that a byte of file justifies beyond that. Deflate packs 1032 bytes into one.
inline constexpr double kSwelling = 2000;

/// A packed text swells beyond what its file justifies: no format reads it, and no other need try.
class Swollen : public DamagedInput {
 public:
  using DamagedInput::DamagedInput;
};

/// The bytes that this machine can still give. It is the least of the kernel's estimate, the limits of our
/// control groups, and the address space of this process.
double availableBytes();

/// As messages say it: "1.5 GiB", "10.0 MiB", "614 bytes".
std::string sizeText(double bytes);

/// The limit of [dataset] on the memory of readers, for this thread, as long as the object lives.
class MemoryLimit {
 public:
  /// `gib`: 0 leaves it to the environment variable, and without that to what is available and justified.
  explicit MemoryLimit(double gib);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  double before_, heldBefore_;
};

/// To be asked before anything is allocated whose size a file declares. Throws DamagedInput at `place` if
/// `bytes` are more than is available, or more than `evidence` justifies. `evidence`: bytes of the file, or
/// of what was read of it already. A limit that the user has set counts instead of both, and against it what
/// reading holds already. `subject` takes the memory: "an array of 3 × 4". `heldBytes`: bytes of the same
/// evidence that are held already. The message names the size, the room and the key.
void requireRoom(double bytes, double evidence, const std::string& subject, Problem place,
                 double heldBytes = 0);

/// A dense matrix that cannot be held, or that `file` or its `entries` do not justify, is refused with
/// DamagedInput naming `file`.
void requireDenseFits(Index rows, Index cols, Index entries, const std::filesystem::path& file);

/// The same for what need not be held: throws Swollen if `bytes` are more than `free` and more than
/// `justified`. A limit that the user has set counts instead of `free`.
void requireJustified(double bytes, double free, double justified, const std::string& subject, Problem place);

/// The memory that this process takes beyond what it had when the object was made. For readers of streams,
/// which do not declare what they hold.
class MemoryGrowth {
 public:
  MemoryGrowth();
  /// Throws as requireRoom does if what is held is more than the room that was there. That is what was read
  /// so far, and the `coming` bytes that are about to be held beside it.
  void require(double evidence, const std::string& subject, Problem place, double coming = 0) const;

 private:
  double before_;
};

}  // namespace halo
