#pragma once

#include <cstdint>
#include <string>

namespace halo {

/// What tests make happen at an update of a run, by the environment's HALO_REHEARSE, such as "keep 3, kill
/// 3":
///
///   keep N    after update N the workers keep a checkpoint
///   stop N    after it they end, as if they had been asked to
///   kill N    once the checkpoint after update N is recorded, the workers are killed
///   die N     then the supervisor is
///   throw T N what does task T of update N throws: of hyscale's, "load 0" or "train 2", a stage and a
///   trainer
///
/// Updates of a run count from 0.
class Rehearsal {
 public:
  /// Of the environment.
  Rehearsal();

  bool empty() const { return words_.empty(); }
  bool keepsAfter(std::int64_t step) const { return says("keep", step); }
  bool stopsAfter(std::int64_t step) const { return says("stop", step); }
  bool killsAfter(std::int64_t step) const { return says("kill", step); }
  bool diesAfter(std::int64_t step) const { return says("die", step); }
  bool throwsIn(const std::string& task, std::int64_t step) const {
    return says(("throw " + task).c_str(), step);
  }

 private:
  bool says(const char* event, std::int64_t step) const;
  std::string words_;
};

}  // namespace halo
