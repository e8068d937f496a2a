#pragma once

#include <QObject>
#include <optional>

#include "app/window/export_dialog.h"
#include "app/window/messages.h"
#include "views/session/recording_reader.h"
#include "views/session/session.h"

class QSettings;

namespace halo {

/// Figures of the shown run, or of the chips, as files. Those of the run are drawn from what the recording
/// holds, of the stretch of time that is shown.
class FigureExport : public QObject {
  Q_OBJECT
 public:
  /// All outlive what it does; dialogs stand before `window`.
  FigureExport(Session& session, RecordingReader& reader, Messages& messages, QSettings& settings,
               QWidget& window);

  /// Asks which figure and where; it is written once its data are read.
  void ask();

 private:
  void write(const RunData& read);

  Session& session_;
  RecordingReader& reader_;
  Messages& messages_;
  QSettings& settings_;
  QWidget& window_;
  std::optional<ExportRequest> request_;  // whose data are being read
};

}  // namespace halo
