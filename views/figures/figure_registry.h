#pragma once

#include <functional>
#include <span>

#include "engine/base/declaration.h"
#include "engine/base/registry.h"
#include "views/figure/figure.h"
#include "views/recording/run_data.h"
#include "views/scene/scene_data.h"

namespace halo {

/// What a figure may be drawn from.
struct FigureInput {
  const RunsData& all;
  std::span<const RunData> runs;  // the chosen ones; at least one unless the figure is of several runs
  std::vector<std::int64_t> chosen = {};  // of `all`, for a figure of several runs; empty: all of them
  const SceneData* scene = nullptr;       // of FigureEntry::ofScene
  RunChips chips = {};                    // of other figures: the chips that their runs are in
};

class Database;

/// The stretches of time a figure is drawn of; each empty: the whole run.
struct FigureRanges {
  TimeRange measured;  // what sums are taken over
  TimeRange visible;   // what a picture of spans shows
};

/// A figure that can be shown and exported by its name. Its file has no header: nobody includes it.
struct FigureEntry {
  Declaration declaration;
  std::function<Figure(const FigureInput&, const Values&)> make;
  /// Adds to readRun's data what else the figure is drawn from; empty: nothing.
  std::function<void(Database&, RunData&, const FigureRanges&)> load = {};
  /// Of several runs, by FigureInput::chosen: made from `all` alone, with marks and provenance of its own.
  bool several = false;
  /// Made from `scene` alone: the chips of the window, or the runs that are named, as chips.
  bool ofScene = false;
  /// Words that a parameter of type Text may have there, its fallback apart; empty function: there is none.
  std::function<QStringList(const SceneData&, std::string_view key)> offers = {};
};

/// Adds to `data`, as readRun left it, what the figure called `name` needs.
void loadFigureData(const std::string& name, Database& database, RunData& data, const FigureRanges& ranges);

/// The figure called `name` with its parameters at their defaults, or as `values` say.
Figure makeFigure(const std::string& name, const FigureInput& input, const Values& values = {});

/// What a view shows before a run is chosen (0), or until the chosen one is read.
Figure nothingYet(const char* title, std::int64_t run = 0);

/// How a run ended that did not complete; "": it completed, or goes on.
QString endedBadly(const RunRow& run);

/// Marks and provenance of the chips' runs, which of them did not complete, and in what they differ.
void addProvenance(Figure& figure, const SceneData& scene);
/// "A  #1 vanilla".
QString lettered(const SceneData& scene, std::size_t compared);
/// Which epochs a figure of a scene is of: those whose time is compared, or all up to the last in scope.
enum class EpochsOfFigure { timed, all };
/// The title of a figure of the chips, with the epochs that it is of.
QString titled(const char* title, const SceneData& scene, EpochsOfFigure selection = EpochsOfFigure::timed);
/// Of a figure that needs `least` chips: what to say where there are fewer; empty: there are enough.
QString lacking(const SceneData* scene, std::size_t least);
/// Why a figure of the epochs in scope shows nothing: that there are none, or else `otherwise`.
QString noneInScope(const SceneData& scene, const char* otherwise);

/// Marks and provenance of a run: what follows a figure wherever it goes.
void addProvenance(Figure& figure, const RunData& data);
/// Of the runs that a figure of several is drawn of, each once; its `make` calls this.
void addProvenance(Figure& figure, const std::vector<const RunRow*>& drawn);
/// And in what they differ, where the figure sets all of them side by side.
void addProvenance(Figure& figure, const RunsData& data, const std::vector<const RunRow*>& drawn);

}  // namespace halo
