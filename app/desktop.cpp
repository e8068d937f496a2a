// haloscope-desktop: the window, or with --render figures without a display.
#include <QApplication>
#include <QBuffer>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QHashSeed>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>

#include "app/program/desktop_options.h"
#include "app/program/failure.h"
#include "app/program/places.h"
#include "app/program/reachable_names.h"
#include "app/program/stack.h"
#include "app/window/main_window.h"
#include "app/window/render.h"
#include "engine/base/problem.h"
#include "engine/record/database/database.h"
#include "views/figure/figure_writers.h"
#include "views/look/widget_style.h"

namespace {

using namespace halo;

QCommandLineOption optionNamed(std::string_view name) {
  const auto declared = std::ranges::find(kDesktopOptions, name, &DesktopOption::name);
  const auto text = [](std::string_view words) {
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
  };
  QStringList names{text(declared->name)};
  if (!declared->letter.empty()) names.prepend(text(declared->letter));
  return {names, text(declared->help) + ".", text(declared->value), text(declared->byDefault)};
}

struct Options {
  QCommandLineOption render = optionNamed("render");
  QCommandLineOption run = optionNamed("run");
  QCommandLineOption db = optionNamed("db");
  QCommandLineOption output = optionNamed("output");
  QCommandLineOption with = optionNamed("with");
  QCommandLineOption reader = optionNamed("for");
  QCommandLineOption size = optionNamed("size");
  QCommandLineOption force = optionNamed("force");
  QCommandLineOption theme = optionNamed("theme");
  QCommandLineOption screenshot = optionNamed("screenshot");
  QCommandLineOption perspective = optionNamed("perspective");
  QCommandLineOption start = optionNamed("start");
  QCommandLineOption timing = optionNamed("time-start");
};

const QStringList kPerspectives{"set-up", "observe", "decide"};  // in the order of MainWindow::Perspective

Theme themeNamed(const QString& name) {
  if (name.isEmpty() || name == "light") return Theme::light;
  if (name == "dark") return Theme::dark;
  throw InputError(
      Problem{.key = "--theme", .message = "'" + name.toStdString() + "' cannot be used; light or dark"});
}

/// "; did you mean 'x'?", or nothing.
std::string didYouMean(const QString& word, const QStringList& options) {
  std::vector<std::string> names;
  for (const QString& name : options) names.push_back(name.toStdString());
  const std::string near = nearest(word.toStdString(), names);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

/// What an option that is none may mean.
std::string unknownOptions(const QCommandLineParser& parser, const QStringList& options) {
  std::string text;
  for (const QString& name : parser.unknownOptionNames()) {
    const bool isLong = name.size() > 1;
    text += (text.empty() ? "" : "\n") + std::string(isLong ? "--" : "-") + name.toStdString() +
            ": is not an option" + (isLong ? didYouMean("--" + name, options) : "") +
            "; `haloscope-desktop --help` lists them";
  }
  return text.empty() ? parser.errorText().toStdString() : text;
}

void requireOneOf(const QCommandLineParser& parser, const QCommandLineOption& option,
                  const QStringList& names) {
  const QString name = parser.value(option);
  if (!parser.isSet(option) || names.contains(name)) return;
  throw InputError(Problem{.key = "--" + option.names().last().toStdString(),
                           .message = "'" + name.toStdString() + "' cannot be used; one of " +
                                      names.join(' ').toStdString() + didYouMean(name, names)});
}

int renderFigures(const QCommandLineParser& parser, const Options& options) {
  const QStringList files = parser.positionalArguments();
  if (files.size() > 1 || (!files.isEmpty() && parser.isSet(options.db)))
    throw InputError(
        Problem{.key = "--render",
                .message = "draws one recording; name it once, as the last word or with --db (named also: '" +
                           (files.size() > 1 ? files[1] : parser.value(options.db)).toStdString() + "')"});
  for (const QCommandLineOption* option :
       {&options.screenshot, &options.perspective, &options.start, &options.timing})
    if (parser.isSet(*option))
      throw InputError(
          Problem{.key = "--" + option->names().last().toStdString(),
                  .message = "is of the window, which --render does not show; leave one of the two out"});
  RenderRequest request;
  request.figure = parser.value(options.render);
  request.recording = files.isEmpty() ? parser.value(options.db) : files.first();
  request.output = parser.value(options.output);
  request.parameter = parser.value(options.with);
  request.force = parser.isSet(options.force);
  requireOneOf(parser, options.reader, {"program", "spreadsheet"});
  if (parser.value(options.reader) == "spreadsheet") request.reader = CsvFor::spreadsheet;
  request.style.theme = themeNamed(parser.value(options.theme));
  request.sized = parser.isSet(options.size);
  if (request.sized) request.style.size = figureSize(parser.value(options.size), request.scale);
  if (request.output.isEmpty())
    throw InputError(
        Problem{.key = "--output", .message = "missing; -o out.svg, out.pdf, out.png or out.csv"});
  if (parser.isSet(options.run)) {
    for (const QString& word : parser.value(options.run).split(',')) {
      bool isNumber = false;
      const std::int64_t run = word.toLongLong(&isNumber);
      if (!isNumber || run < 0)
        throw InputError(
            Problem{.key = "--run", .message = "'" + word.toStdString() + "' is no number of a run"});
      if (std::ranges::find(request.runs, run) == request.runs.end())
        request.runs.push_back(run);  // twice the same is no repeat
    }
  }
  render(request);
  return 0;
}

/// Ends once the window has shown all, or after half a minute.
void whenSettled(MainWindow& window, std::function<void()> work) {
  auto* timer = new QTimer(&window);
  auto clock = std::make_shared<QElapsedTimer>();
  clock->start();
  QObject::connect(timer, &QTimer::timeout, &window, [&window, timer, work, clock, calm = 0]() mutable {
    calm =
        window.settled() ? calm + 1 : 0;  // layouts need a few turns of the event loop after the last answer
    if (calm < 4 && clock->elapsed() < 30'000) return;
    timer->stop();
    work();
  });
  timer->start(50);
}

int showWindow(QApplication& app, const QCommandLineParser& parser, const Options& options,
               QElapsedTimer since) {
  requireOneOf(parser, options.theme, {"light", "dark", "system"});
  requireOneOf(parser, options.perspective, kPerspectives);
  QApplication::setStyle(new WidgetStyle);
  const bool picture = parser.isSet(options.screenshot), timed = parser.isSet(options.timing);
  if (const QString file = parser.value(options.screenshot); picture && !file.toLower().endsWith(".png"))
    throw InputError(
        Problem{.key = "--screenshot",
                .message = "'" + file.toStdString() + "' is written as PNG; give it the ending .png"});
  if (picture) refuseToReplace(parser.value(options.screenshot), parser.isSet(options.force));
  QSettings settings("Haloscope", picture ? "Screenshot" : "Haloscope");
  if (picture) settings.clear();  // a picture shows the product, not its user's habits
  const QString resources = QString::fromStdString(resourceFolder().string());
  MainWindow window(
      {QString::fromStdString(siblingProgram("haloscope").string()), resources + "/samples/sample.db",
       resources + "/experiments",
       QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/haloscope", resources},
      settings);
  window.setTheme(parser.isSet(options.theme) ? parser.value(options.theme)
                                              : settings.value("theme", "system").toString());
  if (const QByteArray geometry = settings.value("geometry").toByteArray(); !geometry.isEmpty())
    window.restoreGeometry(geometry);
  if (picture) window.resize(1280, 800);  // whatever screen there is
  if (parser.isSet(options.size)) {
    double scale = 1;
    window.resize(figureSize(parser.value(options.size), scale).toSize());
  }
  if (timed)
    QObject::connect(&window, &MainWindow::runsShown, &window, [&] {
      QTimer::singleShot(0, &window, [&] {  // after the pending paint
        std::printf("%.3f\n", static_cast<double>(since.nsecsElapsed()) * 1e-9);
        QApplication::quit();
      });
    });
  window.show();
  const QStringList files = parser.positionalArguments();
  files.isEmpty() ? window.openLast() : window.openFiles(files);
  if (parser.isSet(options.start)) whenSettled(window, [&window] { window.startExperiment(); });
  if (const auto at = kPerspectives.indexOf(parser.value(options.perspective)); at >= 0)
    window.setPerspective(static_cast<MainWindow::Perspective>(at));
  QByteArray png;
  if (picture)
    whenSettled(window, [&] {
      QBuffer buffer(&png);
      buffer.open(QIODevice::WriteOnly);
      window.grab().save(&buffer, "PNG");
      QApplication::quit();
    });
  const int status = app.exec();
  if (picture) writePicture(png, parser.value(options.screenshot));
  return status;
}

/// Qt aborts where it finds no display; a person is told what to do instead.
void endWithoutDisplay(QtMsgType type, const QMessageLogContext&, const QString& message) {
  if (type != QtFatalMsg) {
    std::fprintf(stderr, "%s\n", qPrintable(message));
    return;
  }
  std::fprintf(stderr, "haloscope-desktop: the window cannot be shown: %s\n",
               qPrintable(message.simplified()));
  std::_Exit(5);
}

/// Figures, help and version need no display. For the window one must be there, unless a platform is forced.
void preparePlatform(int argc, char** argv) {
  bool forced = !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
  for (int i = 1; i < argc; ++i) {
    const QByteArray word(argv[i]);
    if (word.startsWith("--render") ||
        QByteArrayList{"-h", "--help", "--help-all", "-v", "--version"}.contains(word)) {
      qputenv("QT_QPA_PLATFORM", "offscreen");
      QHashSeed::setDeterministicGlobalSeed();  // fonts of a PDF come in the order of a hash table
      return;
    }
    forced = forced || word == "-platform" || word == "--platform";
  }
  if (!forced && qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
    throw EnvironmentError(
        "haloscope-desktop: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); figures can be "
        "made without one by --render, and `haloscope` runs experiments");
}

int run(int argc, char** argv) {
  QElapsedTimer since;
  since.start();
  preparePlatform(argc, argv);
  const auto usual = qInstallMessageHandler(&endWithoutDisplay);
  QApplication app(argc, argv);
  qInstallMessageHandler(usual);
  QApplication::setApplicationName("haloscope-desktop");
  QApplication::setOrganizationName("Haloscope");
  QApplication::setApplicationVersion(HALO_VERSION);
  QCommandLineParser parser;
  parser.setApplicationDescription("The window of Haloscope.\n\nFigures for --render:\n" + figureList());
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(
      "FILE",
      "Recordings (.db; of several the last runs are compared), a scene (.scene.toml) or an "
      "experiment (.toml) to open.",
      "[FILE…]");
  const Options options;
  const QList<QCommandLineOption> all{options.render, options.run,        options.db,          options.output,
                                      options.with,   options.reader,     options.size,        options.force,
                                      options.theme,  options.screenshot, options.perspective, options.start,
                                      options.timing};
  parser.addOptions(all);
  if (!parser.parse(QApplication::arguments())) {
    QStringList names{"help", "version"};
    for (const QCommandLineOption& option : all) names << option.names().last();
    for (QString& name : names) name.prepend("--");
    std::fprintf(stderr, "%s\n", halo::visible(unknownOptions(parser, names)).c_str());
    return 2;
  }
  if (parser.isSet("help")) {
    std::fputs(qPrintable(parser.helpText()), stdout);
    return 0;
  }
  if (parser.isSet("version")) {
    std::puts("haloscope-desktop " HALO_VERSION);
    return 0;
  }
  if (parser.isSet(options.render)) return renderFigures(parser, options);
  for (const QCommandLineOption* option :
       {&options.run, &options.output, &options.with, &options.reader, &options.force})
    if (parser.isSet(*option) && (option != &options.force || !parser.isSet(options.screenshot)))
      throw InputError(
          Problem{.key = "--" + option->names().last().toStdString(),
                  .message = "goes with --render only; in the window runs and figures are chosen by hand"});
  return showWindow(app, parser, options, since);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error with words
  std::optional<halo::ReachableNames> names;
  try {
    halo::requireStack();
    names.emplace(std::span(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0));
    return run(argc, argv);
  } catch (const std::exception& error) {
    // what an error says may come from a recording: nothing of it steers the terminal
    halo::Failure failure = halo::failureOf(error);
    if (names) failure.message = names->asGiven(std::move(failure.message));
    std::fprintf(stderr, "%s\n", halo::visible(failure.message).c_str());
    return failure.status;
  }
}
