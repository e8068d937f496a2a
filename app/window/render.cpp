#include "app/window/render.h"

#include <fmt/format.h>

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "app/program/held_signals.h"
#include "engine/base/made_folders.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"
#include "engine/record/database/database.h"
#include "engine/record/tables/runs.h"
#include "views/figure/figure_paint.h"
#include "views/figure/figure_writers.h"
#include "views/figures/figure_registry.h"

namespace halo {

namespace {

[[noreturn]] void wrong(const char* option, const QString& message) {
  throw InputError(Problem{.key = option, .message = message.toStdString()});
}

/// "one of a b; did you mean 'a'?"
QString oneOf(const QString& word, const std::vector<std::string>& names) {
  QStringList list;
  for (const std::string& name : names) list << QString::fromStdString(name);
  const QString near = QString::fromStdString(nearest(word.toStdString(), names));
  return "one of " + list.join(" ") + (near.isEmpty() ? "" : "; did you mean '" + near + "'?");
}

void checkName(const QString& name) {
  if (name == "all" || find<FigureEntry>(name.toStdString())) return;
  std::vector<std::string> names{"all"};
  for (const auto& [figure, entry] : registry<FigureEntry>()) names.push_back(figure);
  wrong("--render", "'" + name + "' is no figure; " + oneOf(name, names));
}

/// Whether a number may stand for the fallback of the parameter that `assignment` names: "layer=1".
bool isNumbered(const FigureEntry& entry, const QString& assignment) {
  for (const Parameter& parameter : entry.declaration.parameters) {
    const auto* text = std::get_if<Text>(&parameter.type);
    bool isNumber = false;
    assignment.section('=', 1).toInt(&isNumber);
    if (text != nullptr && text->numbers && isNumber &&
        assignment.section('=', 0, 0).toStdString() == parameter.key)
      return true;
  }
  return false;
}

/// KEY=VALUE, several with commas between them, checked against what the figure declares.
Values readParameters(const QString& name, const QString& text) {
  Values values;
  if (text.isEmpty()) return values;
  std::vector<std::string> assignments;  // "along=time"
  const auto* entry = find<FigureEntry>(name.toStdString());
  for (const Parameter& parameter :
       entry == nullptr ? std::span<const Parameter>() : entry->declaration.parameters) {
    const std::string key = std::string(parameter.key) + "=";
    if (const auto* choice = std::get_if<Choice>(&parameter.type))
      for (const std::string_view option : choice->options) assignments.push_back(key + std::string(option));
    if (const auto* free = std::get_if<Text>(&parameter.type)) {
      assignments.push_back(key + std::string(free->fallback));
      if (free->numbers) assignments.push_back(key + "NUMBER");
    }
  }
  for (const QString& assignment : text.split(',')) {
    const bool known = std::ranges::find(assignments, assignment.toStdString()) != assignments.end();
    if (assignment.endsWith("=NUMBER") || (!known && (entry == nullptr || !isNumbered(*entry, assignment))))
      wrong("--with",
            "'" + assignment + "' cannot be used; " +
                (assignments.empty() ? "'" + name + "' has no parameters" : oneOf(assignment, assignments)));
    values[assignment.section('=', 0, 0).toStdString()] = assignment.section('=', 1).toStdString();
  }
  return values;
}

/// Every run asked for must be there.
void checkRuns(const RenderRequest& request, const RunsData& all) {
  if (all.runs.empty())
    throw InputError(Problem{.file = request.recording.toStdString(), .message = "holds no runs yet"});
  for (const std::int64_t run : request.runs)
    if (std::ranges::find(all.runs, run, &RunRow::id) == all.runs.end())
      throw InputError(Problem{
          .file = request.recording.toStdString(),
          .key = "--run",
          .message = "there is no run " + std::to_string(run) + "; `haloscope list` names those there are"});
}

/// A figure, and what to say once it is written: which run it is of where none was named, and why it is
/// empty.
struct Drawn {
  Figure figure;
  std::string said;
};

std::string saidOf(const RunRow& run) { return "run " + std::to_string(run.id) + ", " + onOneLine(run.name); }

void tell(const std::string& sentence) {
  if (!sentence.empty()) std::fprintf(stderr, "%s\n", visible(sentence).c_str());
}

/// The figures of one recording. What a run holds is read when a figure first asks for it. Figures that load
/// no more share it. One that does has its own, so that what is damaged spoils no other figure.
class Renderer {
 public:
  Renderer(const RenderRequest& request, Database& database)
      : request_(request), database_(database), all_(readRuns(database)) {
    checkRuns(request, all_);
  }

  Drawn figure(const std::string& name, const Values& values) {
    if (find<FigureEntry>(name)->ofScene) return ofScene(name, values);
    if (find<FigureEntry>(name)->several)
      return {makeFigure(name, {all_, {}, request_.runs, nullptr, namedChips()}, values), ""};
    if (!request_.runs.empty()) return emptyOrSilent(name, request_.runs.front(), values);
    // the last run that has what the figure draws; where none has, the last says why
    const RunRow& last = all_.runs.back();
    std::optional<Figure> empty;
    for (auto run = all_.runs.rbegin(); run != all_.runs.rend(); ++run) {
      Figure figure = ofRun(name, run->id, values);
      if (!figure.empty())
        return {std::move(figure),
                name + ": drawn of " + saidOf(*run) +
                    (run->id == last.id ? ", the last" : ", the last that has what it shows")};
      if (!empty) empty = std::move(figure);
    }
    const std::string why = empty->emptyReason.toStdString();
    return {std::move(*empty),
            name + ": no run has what it shows; of " + saidOf(last) + ", the last: " + why};
  }

  /// With its parameters at their defaults; none where it needs what is damaged.
  std::optional<Drawn> figureOrDamage(const std::string& name) {
    try {
      return figure(name, {});
    } catch (const RecordDamaged& damage) {
      damages_.push_back(name + " is not drawn: " + damage.what());
      return std::nullopt;
    }
  }

  /// What is left out of the figures, a sentence each.
  const std::vector<std::string>& damages() const { return damages_; }

 private:
  QString recording() const {
    return QString::fromStdString(std::filesystem::absolute(database_.file()).string());
  }

  /// A chip a configuration of the runs, as far as there are colours.
  SceneState sceneOf(const std::vector<std::int64_t>& runs) const {
    SceneState state;
    for (const std::vector<std::int64_t>& chip : chipsOf(database_.file().string(), runs))
      if (static_cast<int>(state.chips.size()) < kMostChips)
        state.chips.push_back({recording(), chip, static_cast<int>(state.chips.size())});
    return state;
  }

  /// A person who names fewer than two runs compares none.
  RunChips namedChips() const {
    return request_.runs.size() < 2 ? RunChips() : chipsOfRuns(sceneOf(request_.runs), recording());
  }

  /// Of the runs that are named, else of all.
  Drawn ofScene(const std::string& name, const Values& values) {
    if (!scene_) {
      std::vector<std::int64_t> runs = request_.runs;
      if (runs.empty())
        for (const RunRow& run : all_.runs) runs.push_back(run.id);
      scene_ = readSceneData(sceneOf(runs));
      for (const std::string& sentence : scene_->comparison.damages)
        damages_.push_back("left out: " + sentence);
    }
    Figure figure = makeFigure(name, {all_, {}, request_.runs, &*scene_}, values);
    const std::string why = figure.emptyReason.toStdString();
    const bool empty = figure.empty();
    return {std::move(figure), empty ? name + ": " + why : ""};
  }

  Drawn emptyOrSilent(const std::string& name, std::int64_t id, const Values& values) {
    Figure figure = ofRun(name, id, values);
    if (!figure.empty()) return {std::move(figure), ""};
    const std::string why = figure.emptyReason.toStdString();
    return {std::move(figure), name + ": nothing of " + saidOf(dataOf(name, id).run) + ": " + why};
  }

  Figure ofRun(const std::string& name, std::int64_t id, const Values& values) {
    const RunData& run = dataOf(name, id);
    if (!run.breakdown.leftOut.empty()) throw RecordDamaged(run.breakdown.leftOut.front());
    return makeFigure(name, {all_, {&run, 1}, request_.runs}, values);
  }

  const RunData& dataOf(const std::string& name, std::int64_t id) {
    const bool loads = static_cast<bool>(find<FigureEntry>(name)->load);
    const auto [entry, isNew] = runs_.try_emplace({id, loads ? name : ""});
    RunData& run = entry->second;
    if (isNew) {
      run = readRun(database_, id);
      loadFigureData(name, database_, run, {});
      damages_.insert(damages_.end(), run.lanes.leftOut.begin(), run.lanes.leftOut.end());
    }
    return run;
  }

  const RenderRequest& request_;
  Database& database_;
  RunsData all_;
  std::map<std::pair<std::int64_t, std::string>, RunData>
      runs_;  // by run, and the figure that it is loaded for
  std::optional<SceneData> scene_;
  std::vector<std::string> damages_;
};

}  // namespace

QString figureList() {
  QString list;
  for (const auto& [name, entry] : registry<FigureEntry>())
    list += QString("%1 %2\n")
                .arg(QString::fromStdString(name), -20)
                .arg(QString::fromUtf8(entry.declaration.help.data(),
                                       static_cast<qsizetype>(entry.declaration.help.size())));
  return list;
}

void render(const RenderRequest& request) {
  checkName(request.figure);
  const Values values = readParameters(request.figure, request.parameter);
  const auto* entry = find<FigureEntry>(request.figure.toStdString());
  if (entry != nullptr && !entry->several && request.runs.size() > 1)
    wrong("--run", "'" + request.figure + "' is drawn of one run");
  if (request.reader == CsvFor::spreadsheet && entry != nullptr &&
      QFileInfo(request.output).suffix().toLower() != "csv")
    wrong("--for", "goes with a CSV alone; leave it out, or write -o out.csv");
  const auto database = openToShow(request.recording.toStdString());
  stopOnSignals(*database);
  Renderer renderer(request, *database);
  const auto write = [&](const Figure& figure, const QString& path) {
    writeFigure(figure, request.sized ? request.style : roomyStyle(figure, request.style), path,
                request.force, request.scale, request.reader);
  };
  if (entry != nullptr) {
    const Drawn drawn = renderer.figure(request.figure.toStdString(), values);
    write(drawn.figure, request.output);
    tell(drawn.said);
  } else {
    MadeFolders folders;
    makeFigureFolder(folders, request.output);
    for (const auto& [name, figureEntry] : registry<FigureEntry>())
      if (const std::optional<Drawn> drawn = renderer.figureOrDamage(name)) {
        for (const char* ending : {"svg", "csv"})
          write(drawn->figure, QDir(request.output).filePath(drawn->figure.name + "." + ending));
        tell(drawn->said);
      }
  }
  if (const auto& damages = renderer.damages(); !damages.empty())
    throw RecordDamaged(fmt::format("{}\n{} without what is damaged", fmt::join(damages, "\n"),
                                    entry != nullptr ? "The figure is drawn" : "All else is drawn"));
}

}  // namespace halo
