#include "app/window/figure_export.h"

#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QSettings>
#include <utility>

#include "engine/base/index.h"
#include "engine/record/database/database.h"
#include "views/figure/figure_writers.h"
#include "views/figures/figure_registry.h"
#include "views/look/figure_text.h"

namespace halo {

FigureExport::FigureExport(Session& session, RecordingReader& reader, Messages& messages, QSettings& settings,
                           QWidget& window)
    : session_(session), reader_(reader), messages_(messages), settings_(settings), window_(window) {
  connect(&reader, &RecordingReader::figureDataRead, this, &FigureExport::write);
  connect(&reader, &RecordingReader::failed, this, [this] { request_.reset(); });
}

void FigureExport::ask() {
  if (session_.run().run.id == 0) return messages_.say("No run is shown yet, so there is nothing to export.");
  const QString folder = settings_.value("export/folder", QDir::homePath()).toString();
  ExportDialog dialog(folder, themeOf(window_.palette()), &window_);
  if (dialog.exec() != QDialog::Accepted) return;
  request_ = dialog.request();
  settings_.setValue("export/folder", QFileInfo(request_->file).absolutePath());
  const TimeRange visible = session_.window().visible();
  const double longer = 1 / session_.run().clock().divisor(session_.scene().state().clock);
  reader_.askFigureData(
      request_->figure, session_.run().run.id,
      {session_.epochRange(), {dividedNs(visible.beginNs, longer), dividedNs(visible.endNs, longer)}});
}

void FigureExport::write(const RunData& read) {
  const auto request = std::exchange(request_, {});
  if (!request) return;
  try {
    if (!read.breakdown.leftOut.empty()) throw RecordDamaged(read.breakdown.leftOut.front());
    FigureStyle style;
    style.theme = request->theme;
    const Figure figure =
        makeFigure(request->figure, {session_.runs().runs(), {&read, 1}, {}, &session_.sceneData()},
                   {{"clock", std::string(kTimeClocks[at(session_.scene().state().clock)])}});
    if (figure.empty())
      return messages_.sayProblem(QString::fromStdString(request->figure) +
                                  ": nothing to export: " + figure.emptyReason);
    writeFigure(figure, style, request->file, /*force=*/true);  // the dialog asked
    for (const std::string& sentence : read.lanes.leftOut)
      messages_.addProblem(QString::fromStdString(sentence));
    messages_.say("Figure in " + request->file);
  } catch (const std::exception& error) {
    messages_.addProblem(QString::fromUtf8(error.what()));
    QMessageBox::warning(&window_, "Export", plainRich(QString::fromUtf8(error.what())));
  }
}

}  // namespace halo
