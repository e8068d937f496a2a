#pragma once

#include <QObject>
#include <optional>

#include "app/window/export_dialog.h"
#include "app/window/problem_list.h"
#include "views/session/recording_reader.h"
#include "views/session/session.h"

class QSettings;

namespace halo {

/// Figures of the shown run as files: drawn from what the recording holds, of the stretch of time that is
/// shown.
class FigureExport : public QObject {
  Q_OBJECT
 public:
  /// All outlive what it does; dialogs stand before `window`.
  FigureExport(const Session& session, RecordingReader& reader, ProblemList& problems, QSettings& settings,
               QWidget& window);

  /// Asks which figure and where; it is written once its data are read.
  void ask();

 signals:
  void said(const QString& sentence);

 private:
  void write(const RunData& read);

  const Session& session_;
  RecordingReader& reader_;
  ProblemList& problems_;
  QSettings& settings_;
  QWidget& window_;
  std::optional<ExportRequest> request_;  // whose data are being read
};

}  // namespace halo
