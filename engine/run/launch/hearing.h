#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/protocol/beat.h"

namespace halo {

/// When each rank of a run was last heard of, and its last words. Times in ns of one clock.
class Hearing {
 public:
  Hearing(std::int64_t ranks, std::int64_t nowNs);

  void take(const Beat& beat, std::int64_t nowNs);
  /// To be called all the time: while it was not, this process was stopped itself, and nobody was silent.
  void tick(std::int64_t nowNs);

  /// Where a rank has been silent for longer than `silenceS` seconds (0: never): which, since when, their
  /// last words, and who was heard of. A rank that was never heard of has a minute at least, to be started.
  /// Once a rank is asked to end, the launcher has a quarter of a minute to end the others and say why.
  std::optional<std::string> lost(std::int64_t silenceS, std::int64_t nowNs) const;
  /// Whether any rank came as far as to be heard of, which is after MPI has started.
  bool anyHeard() const;
  /// "rank 0 on nodea: waits …; rank 1 on nodeb, 5 s ago: works …", of the ranks heard of: the first few.
  std::string lastWords(std::int64_t nowNs) const;
  /// Of those that were asked to end and said so; empty where none was.
  std::string partingWords() const;

 private:
  struct Rank {
    std::int64_t heardNs = 0;
    bool heard = false, parting = false;
    std::string host, words;
  };
  std::string rankName(std::size_t rank) const;
  std::string grouped(const std::vector<std::size_t>& ranks) const;

  std::vector<Rank> ranks_;
  std::int64_t tickNs_;
};

}  // namespace halo
