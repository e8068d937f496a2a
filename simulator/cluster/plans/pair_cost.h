#pragma once

#include <map>
#include <vector>

#include "simulator/cluster/plans/pair_rows.h"
#include "simulator/cluster/plans/schedule.h"

namespace halo::cluster {

/// What ranks exchange for the halo rows between them, as the method's own predictor says of two ranks alone.
/// It serves methods whose messages depend on nothing else.
class PairCost {
 public:
  /// Throws InputError naming the method where its messages depend on more.
  PairCost(const MethodEntry& method, const RunSettings& run, const ModelShape& shape, std::int64_t epoch);

  /// What one pass of one layer sends for `rows` rows: there, or (backward) from who got the rows.
  struct Message {
    int layer = 0;
    Pass pass = Pass::forward;
    bool returns = false;
    double messages = 0, bytes = 0;
    double plainBytes = 0;  // without codes
  };
  /// For exactly so many rows; whole numbers.
  const std::vector<Message>& messagesOf(std::int64_t rows);
  /// Mean of a number of rows that is Poisson distributed: far from zero, of its mean.
  std::vector<Message> expected(double meanRows);

  /// What one pass of one layer sends, without pairs.
  struct PassSums {
    Traffic traffic;
    PerRank plainBytes, plainArrivedBytes;  // as PassTraffic's
  };
  /// Each rank's sums over the pairs, and of these what stays within nodes of so many ranks.
  std::map<std::pair<int, Pass>, PassSums> sumsOf(const std::vector<PairRows>& pairs,
                                                  std::int64_t ranksPerNode, int ranks);

 private:
  std::vector<Message> ask(std::int64_t rows, bool plain) const;

  const MethodEntry& method_;
  VolumeRequest request_;
  bool codes_;
  std::map<std::int64_t, std::vector<Message>> known_;
};

}  // namespace halo::cluster
