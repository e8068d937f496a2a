#pragma once

#include <QWidget>

class QListWidget;

namespace halo {

/// The window without a recording: three ways to begin, and the recent files.
class StartView : public QWidget {
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
