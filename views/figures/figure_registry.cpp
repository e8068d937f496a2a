#include "views/figures/figure_registry.h"

#include <algorithm>
#include <set>

#include "views/recording/compared_runs.h"

namespace halo {

void loadFigureData(const std::string& name, Database& database, RunData& data, const FigureRanges& ranges) {
  for (const auto& [figureName, entry] : registry<FigureEntry>())
    if (entry.load && name == figureName) entry.load(database, data, ranges);
}

Figure makeFigure(const std::string& name, const FigureInput& input, const Values& values) {
  const auto* entry = find<FigureEntry>(name);
  HALO_CHECK(entry != nullptr);
  Values complete = fallbacks(entry->declaration.parameters);
  for (const auto& [key, value] : values) complete.insert_or_assign(key, value);
  Figure figure = entry->make(input, complete);
  figure.name = QString::fromStdString(name);
  if (!entry->several)
    for (const RunData& data : input.runs) addProvenance(figure, data);
  figure.provenance.emplace_back("haloscope", HALO_VERSION);
  return figure;
}

Figure nothingYet(const char* title, std::int64_t run) {
  Figure figure;
  figure.title = title;
  figure.emptyReason = run == 0 ? QString("No run is shown yet: choose one at the left, or open a recording.")
                                : QString("Run %1 is not read yet.").arg(run);
  return figure;
}

namespace {

void addMarks(Figure& figure, const RunRow& run) {
  for (const QString& mark : QString::fromStdString(run.marks).split(',', Qt::SkipEmptyParts))
    if (!figure.marks.contains(mark.trimmed())) figure.marks << mark.trimmed();
}

}  // namespace

QString endedBadly(const RunRow& run) {
  const QString status = QString::fromStdString(run.status);
  return QStringList{"failed", "cancelled", "interrupted"}.contains(status) ? status : QString();
}

void addProvenance(Figure& figure, const std::vector<const RunRow*>& drawn) {
  struct Once {
    QStringList texts;
    std::set<std::string> known;  // ten thousand runs are not looked for in a list
    void add(const std::string& value) {
      if (!value.empty() && known.insert(value).second) texts << QString::fromStdString(value);
    }
  };
  Once runs, sets, versions;
  for (const RunRow* run : drawn) {
    addMarks(figure, *run);
    runs.add(std::to_string(run->id));
    sets.add(run->dataset);
    versions.add(run->version);
  }
  figure.provenance.emplace_back(runs.texts.size() == 1 ? "run" : "runs", runs.texts.join(", "));
  figure.provenance.emplace_back("data set", sets.texts.join(", "));
  figure.provenance.emplace_back("recorded by", versions.texts.join(", "));
}

void addProvenance(Figure& figure, const RunsData& data, const std::vector<const RunRow*>& drawn) {
  addProvenance(figure, drawn);
  if (const QString sentence = unlikeSentence(data, drawn); !sentence.isEmpty()) figure.marks << sentence;
}

void addProvenance(Figure& figure, const SceneData& scene) {
  std::vector<const RunRow*> drawn;
  for (const std::size_t place : scene.compared)
    for (const RunRow& run : scene.chips[place].runs) drawn.push_back(&run);
  addProvenance(figure, drawn);
  for (const RunRow* run : drawn)
    if (const QString end = endedBadly(*run); !end.isEmpty())
      figure.marks << QString("run %1 %2").arg(run->id).arg(end);
  for (const std::int64_t run : scene.comparison.damagedRuns)
    figure.marks << QString("damaged spans of run %1 left out").arg(run);
  if (!scene.unlike.empty()) figure.marks << QString::fromStdString(scene.unlike);
}

QString lettered(const SceneData& scene, std::size_t compared) {
  const std::size_t place = scene.compared[compared];
  return chipLetter(place) + "  " + scene.chips[place].name;
}

namespace {

/// " but the first, without pipeline refills", of what some run of the chips has there.
QString leftOutText(const SceneData& scene) {
  const auto any = [&](std::int64_t LeftOut::*count) {
    return std::ranges::any_of(scene.comparison.epochs,
                               [&](const EpochFigures& epochs) { return epochs.left.*count > 0; });
  };
  QString text;
  if (any(&LeftOut::firsts)) text += " but the first";
  if (any(&LeftOut::filling)) text += ", without pipeline refills";
  return text;
}

}  // namespace

QString titled(const char* title, const SceneData& scene, EpochsOfFigure selection) {
  const auto& [first, last] = scene.state.epochs;
  QString epochs = "all epochs";
  if (first && last)
    epochs =
        *first == *last ? QString("epoch %1").arg(*first) : QString("epochs %1–%2").arg(*first).arg(*last);
  else if (first)
    epochs = QString("epochs from %1").arg(*first);
  else if (last)
    epochs = QString("epochs up to %1").arg(*last);
  const auto& all = scene.comparison.epochs;
  if (!all.empty() && std::ranges::all_of(all, &EpochFigures::modelled))
    epochs = "one epoch, simulated";
  else if (selection == EpochsOfFigure::timed)
    epochs += leftOutText(scene);
  return QString::fromUtf8(title) + " · " + epochs;
}

QString lacking(const SceneData* scene, std::size_t least) {
  if (scene == nullptr || scene->compared.size() < least)
    return least > 1
               ? "Two runs or more are compared here: choose them in the run table and press C, or name them "
                 "with --run."
               : "Runs are compared here: choose them in the run table and press C, or name them with --run.";
  return "";
}

QString noneInScope(const SceneData& scene, const char* otherwise) {
  const auto has = [](const EpochFigures& figures) {
    return figures.epochs.empty() ||
           std::ranges::any_of(figures.epochs, [](std::int64_t count) { return count > 0; });
  };
  const auto& all = scene.comparison.epochs;
  if (all.empty() || std::ranges::any_of(all, has)) return otherwise;
  return "No epoch of these runs is in scope: what fills a pipeline is left out, and so is the first.";
}

void addProvenance(Figure& figure, const RunData& data) {
  addMarks(figure, data.run);
  const RunRow& run = data.run;
  if (run.status == "failed" || run.status == "cancelled" || run.status == "interrupted")
    figure.marks << QString("run %1 %2").arg(run.id).arg(QString::fromStdString(run.status));
  const auto add = [&](const char* key, const std::string& value) {
    figure.provenance.emplace_back(key, QString::fromStdString(value));
  };
  add("run", std::to_string(run.id));
  add("name", run.name);
  add("data set", run.dataset);
  add("seed", std::to_string(run.seed));
  add("recorded by", run.version);
  add("fingerprint", run.fingerprint);
}

}  // namespace halo
