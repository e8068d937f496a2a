#pragma once

#include <QMetaType>
#include <QString>
#include <map>
#include <string>
#include <vector>

#include "engine/record/comparison/comparison.h"
#include "engine/record/comparison/fairness.h"
#include "views/scene/chip_replay.h"
#include "views/scene/scene.h"

namespace halo {

/// What is known of one chip.
struct ChipData {
  Chip chip;
  QString name;                           // chip_names.h
  std::vector<RunRow> runs;               // those of the chip that are there
  std::map<std::string, double> latest;   // means over the runs of what all of them recorded
  bool modelled = false;                  // simulated or replayed
  std::optional<ChipReplay> replay = {};  // of a chip of one run, where that is one
  QString problem;                        // why nothing is known of it; empty: it is
};

/// What the chips of a scene come to.
struct SceneData {
  SceneState state;                   // `epochs`: those of the timeline's stretch where that is the scope
  std::vector<ChipData> chips;        // as state.chips
  std::vector<std::size_t> compared;  // places of the chips that `comparison` has, in its order
  Comparison comparison;
  std::vector<Objection> fairness;  // everything that differs and is not compared
  std::string unlike;               // the same in one sentence, without the values
};

/// Reads the recordings of the chips. A chip whose recording or runs cannot be read is left out and says why.
/// Cost: that of compareConfigurations().
SceneData readSceneData(const SceneState& state);

/// Whether readSceneData() reads the same for both: they differ at most in name, alignment, scope, base,
/// clock and lanes.
bool comesToTheSame(const SceneState& a, const SceneState& b);

/// Whether runs of a recording have begun or ended since `data` was read.
bool isStale(const SceneData& data, const QString& recording, const std::vector<RunRow>& rows);

/// The runs of a recording as chips would have them, those that differ in their seeds alone together. Throws
/// as Database.
std::vector<std::vector<std::int64_t>> chipsOf(const std::string& recording,
                                               const std::vector<std::int64_t>& runs);

/// The chip that the last run of a recording is in. Throws as Database, and where there is no run.
std::vector<std::int64_t> lastChipOf(const std::string& recording);

}  // namespace halo

Q_DECLARE_METATYPE(halo::SceneData)
