#pragma once

#include <QString>
#include <cstdint>

namespace halo {

/// What is asked of a recorded run: its own work and messages, on something else.
struct WhatIf {
  std::int64_t run = 0;
  QString preset;                  // of links.toml; empty: a link of its own figures, or none
  double gbit = 0, latencyUs = 0;  // of such a link; 0 Gbit/s: the run's own network
  std::int64_t rank = -1;          // that is faster or slower; −1: none
  double speed = 1;                // 2: twice as fast
  std::int64_t cores = 0;          // that all ranks share when they compute; 0: one each
  std::int64_t bits = 0;           // that an element of a row travels in; 0: as it was
  QString overlap;                 // none, all; empty: as it was
  bool asItWas = false;            // replayed unchanged as well, beside what was measured

  bool changesLink() const { return !preset.isEmpty() || gbit > 0; }
  /// As many [[simulate]] as whatIfText() has.
  std::size_t simulations() const { return (asItWas ? 1U : 0U) + (changes() || !asItWas ? 1U : 0U); }
  bool changes() const {
    return changesLink() || (rank >= 0 && speed != 1) || cores > 0 || bits > 0 || !overlap.isEmpty();
  }
};

/// The experiment that answers it: one simulation, or two with asItWas, the unchanged one first.
QString whatIfText(const WhatIf& question);

/// What came of it, in a sentence: `changed` seconds an epoch, `asItWas` of the replay alone (0: none was
/// made), `measured` of the run.
QString whatIfAnswer(double changed, double asItWas, double measured);

}  // namespace halo
