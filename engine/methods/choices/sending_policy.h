#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/declaration.h"
#include "engine/base/index.h"
#include "engine/base/matrix.h"

namespace halo {

inline constexpr std::array<std::string_view, 3> kSendingPolicies = {"fixed", "age", "variation"};

/// When a rank's block is sent again, from the parameters that `sancus` declares.
struct SendingPolicy {
  enum class Kind { fixed, age, variation };

  explicit SendingPolicy(const Values& values);
  /// How old owner `rank`'s first copy counts, in epochs.
  std::int64_t head(int rank, int parts) const { return kind == Kind::age ? rank * interval / parts : 0; }

  Kind kind;
  std::int64_t interval;  // epochs
  double threshold;       // relative change
  bool skipsBackward;
};

/// What one rank keeps of one layer and direction. It has a copy of every other rank's block, and what tells
/// whether its own must be sent again.
class Copies {
 public:
  /// `policy` must outlive it.
  Copies(const SendingPolicy& policy, int rank, int parts)
      : policy_(policy), blocks_(at(parts)), cameIn_(at(parts)), head_(policy.head(rank, parts)) {}

  Matrix& block(int rank) { return blocks_[at(rank)]; }
  /// The epoch in which a rank's block came last; none: it never did.
  std::optional<std::int64_t> cameIn(int rank) const { return cameIn_[at(rank)]; }
  void noteCame(int rank, std::int64_t epoch) { cameIn_[at(rank)] = epoch; }
  /// Whether this rank's block, `own` by now, must be sent; what is decided is taken as done.
  bool decide(std::int32_t epoch, const Matrix& own);
  std::size_t bytes() const;

 private:
  bool due(std::int32_t epoch, const Matrix& own) const;
  double change(const Matrix& own) const;

  const SendingPolicy& policy_;
  std::vector<Matrix> blocks_;                       // by owner
  std::vector<std::optional<std::int64_t>> cameIn_;  // by owner
  Matrix sent_;                                      // the own block when it was sent last (variation)
  std::int64_t head_;
  std::optional<std::int64_t> sentAt_;
};

}  // namespace halo
