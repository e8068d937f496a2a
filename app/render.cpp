#include "app/render.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <cstdio>

#include "engine/base/problem.h"
#include "engine/record/database.h"
#include "views/figure_paint.h"
#include "views/figure_registry.h"
#include "views/figure_writers.h"

namespace halo {

namespace {

[[noreturn]] void wrong(const char* option, const QString& message) {
  throw InputError(Problem{"", 0, 0, option, message.toStdString()});
}

/// "one of a b; did you mean 'a'?"
QString oneOf(const QString& word, const std::vector<std::string>& known) {
  QStringList list;
  for (const std::string& one : known) list << QString::fromStdString(one);
  const QString near = QString::fromStdString(nearest(word.toStdString(), known));
  return "one of " + list.join(" ") + (near.isEmpty() ? "" : "; did you mean '" + near + "'?");
}

void checkName(const QString& name) {
  if (name == "all" || find<FigureEntry>(name.toStdString())) return;
  std::vector<std::string> names{"all"};
  for (const auto& [known, entry] : registry<FigureEntry>()) names.push_back(known);
  wrong("--render", "'" + name + "' is no figure; " + oneOf(name, names));
}

/// KEY=VALUE checked against what the figure declares.
Values readParameter(const QString& name, const QString& text) {
  Values values;
  if (text.isEmpty()) return values;
  std::vector<std::string> known;  // "along=time"
  if (const auto* entry = find<FigureEntry>(name.toStdString()))
    for (const Parameter& parameter : entry->declaration.parameters)
      if (const auto* choice = std::get_if<Choice>(&parameter.type))
        for (const std::string_view option : choice->options)
          known.push_back(std::string(parameter.key) + "=" + std::string(option));
  if (std::ranges::find(known, text.toStdString()) == known.end())
    wrong("--with", "'" + text + "' cannot be used; " +
                        (known.empty() ? "'" + name + "' has no parameters" : oneOf(text, known)));
  values[text.section('=', 0, 0).toStdString()] = text.section('=', 1).toStdString();
  return values;
}

/// Every run asked for must be there.
void checkRuns(const RenderRequest& request, const RunsData& all) {
  if (all.runs.empty())
    throw DamagedInput(Problem{request.recording.toStdString(), 0, 0, "run", "holds no runs"});
  for (const std::int64_t run : request.runs)
    if (std::ranges::find(all.runs, run, &RunRow::id) == all.runs.end())
      throw DamagedInput(
          Problem{request.recording.toStdString(), 0, 0, "run",
                  "there is no run " + std::to_string(run) + "; `haloscope list` names those there are"});
}

/// What figures of one run are drawn of; none where all figures wanted are of several.
std::vector<RunData> runWanted(const RenderRequest& request, const RunsData& all, Database& database) {
  const auto* entry = find<FigureEntry>(request.figure.toStdString());
  if (entry != nullptr && entry->several) return {};
  if (request.runs.size() > 1 && entry != nullptr)
    wrong("--run", "'" + request.figure + "' is drawn of one run");
  std::vector<RunData> runs;
  runs.push_back(readRun(database, request.runs.empty() ? all.runs.back().id : request.runs.front()));
  loadFigureData(request.figure.toStdString(), database, runs.front(), {});
  if (!runs.front().breakdown.leftOut.empty()) throw RecordDamaged(runs.front().breakdown.leftOut.front());
  for (const std::string& sentence : runs.front().lanes.leftOut)
    std::fprintf(stderr, "%s\n", sentence.c_str());
  return runs;
}

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
  const Values values = readParameter(request.figure, request.parameter);
  if (!QFileInfo::exists(request.recording))
    throw DamagedInput(Problem{request.recording.toStdString(), 0, 0, "", "there is no such recording"});
  Database database(request.recording.toStdString(), Access::readOnly);
  const RunsData all = readRuns(database);
  checkRuns(request, all);
  const std::vector<RunData> runs = runWanted(request, all, database);
  const FigureInput input{all, runs, request.runs};
  const auto styleFor = [&](const Figure& figure) {
    return request.sized ? request.style : roomyStyle(figure, request.style);
  };
  if (request.figure != "all") {
    const Figure figure = makeFigure(request.figure.toStdString(), input, values);
    writeFigure(figure, styleFor(figure), request.output, request.force, request.scale);
    return;
  }
  if (!QDir().mkpath(request.output)) wrong("--output", "'" + request.output + "' cannot be made a folder");
  for (const auto& [name, entry] : registry<FigureEntry>()) {
    const Figure figure = makeFigure(name, input);
    for (const char* ending : {"svg", "csv"})
      writeFigure(figure, styleFor(figure), QDir(request.output).filePath(figure.name + "." + ending),
                  request.force, request.scale);
  }
}

}  // namespace halo
