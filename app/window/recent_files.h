#pragma once

#include <QSettings>
#include <QStringList>

#include "views/session/session.h"

namespace halo {

/// Recordings and experiments that were opened last, newest first, in the settings.
class RecentFiles {
 public:
  /// Both outlive what this does.
  RecentFiles(QSettings& settings, Session& session) : settings_(settings), session_(session) {}

  /// Puts the file in front, and tells the session.
  void remember(const QString& file);
  void tell();
  /// Those that are still there.
  QStringList present() const;

 private:
  QStringList all() const { return settings_.value("recent").toStringList(); }

  QSettings& settings_;
  Session& session_;
};

/// By its ending.
inline bool isExperiment(const QString& file) { return file.endsWith(".toml"); }

}  // namespace halo
