#pragma once

#include <QStringList>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;

namespace halo {

class FigureView;
class Session;

/// A figure of several runs: of those chosen in the run table where they are more than one, else of all.
class ComparedRunsView : public QWidget {
  Q_OBJECT
 public:
  /// figure: a name of the registry. What its parameter `show` may be, if it has one, stands to choose from.
  ComparedRunsView(Session& session, std::string figure);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  std::vector<std::int64_t> chosen() const;
  void drawIfOthers();
  void draw();

  Session& session_;
  std::string name_;
  QLabel* what_;
  QComboBox* show_;
  FigureView* figure_;
  std::optional<std::vector<std::int64_t>> drawn_;  // of the runs there are; none: they are others by now
};

}  // namespace halo
