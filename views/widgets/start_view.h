#pragma once

#include <QScrollArea>

class QListWidget;

namespace halo {

/// The window without a recording: three ways to begin, and the recent files. It scrolls in a small window.
class StartView : public QScrollArea {
  Q_OBJECT
 public:
  explicit StartView(QWidget* parent = nullptr);
  void setRecent(const QStringList& files);

 signals:
  void sampleWanted();
  void experimentWanted();
  void openWanted();
  void fileWanted(const QString& file);

 private:
  QListWidget* recent_;
};

}  // namespace halo
