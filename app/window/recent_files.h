#pragma once

#include <QSettings>
#include <QStringList>

#include "views/session/session.h"

class QWidget;

namespace halo {

/// Recordings, experiments and scenes that were opened last, newest first, and the folder of the last; in the
/// settings.
class RecentFiles {
 public:
  /// Both outlive what this does.
  RecentFiles(QSettings& settings, Session& session) : settings_(settings), session_(session) {}

  /// Puts the file in front, and tells the session.
  void remember(const QString& file);
  void tell();
  /// Those that are still there.
  QStringList present() const;
  /// One that a person chooses, before `window`; empty: none.
  QString ask(QWidget& window);

 private:
  QStringList all() const { return settings_.value("recent").toStringList(); }

  QSettings& settings_;
  Session& session_;
};

}  // namespace halo
