#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "views/recording/node_marks.h"
#include "views/spans/timeline_model.h"

namespace halo {

/// The six kinds with their colours and cues, and beside each its time and share of what is selected. Takes
/// as many lines as that needs; the tooltip says it in full.
class TimelineLegend : public QWidget {
  Q_OBJECT
 public:
  explicit TimelineLegend(QWidget* parent = nullptr);
  /// What spans wait for: an entry each, after the kinds.
  void setWaits(std::vector<Name> waits);
  /// What stands over the lanes of a node: an entry each, at the end.
  void setSigns(std::vector<NodeSign> signs);
  /// `range` empty: only the kinds. `run`: whose lanes they are, where there are several.
  void setStatistics(TimeRange range, const SelectionStatistics& statistics, const QString& run = {});
  TimeRange range() const { return range_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }
  QString text() const;  // what is shown, for a screen reader

  /// A kind, a cause of waiting or a sign, with its swatch, or the summary of the selection.
  struct Entry {
    QRect box;
    QString text;
    std::optional<Kind> kind;
    std::optional<Name> cause = {};
    std::optional<NodeSign> sign = {};
    bool hasSwatch() const { return kind || cause || sign; }
  };
  /// Where everything stands in a widget of this width: shorter words before a second line, nothing left out.
  std::vector<Entry> entriesFor(int width) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  enum class Words { full, brief };
  QString entryText(std::size_t kind, Words words) const;
  QString summary(Words words) const;
  std::vector<Entry> flow(int width, Words words) const;
  int lineHeight() const { return fontMetrics().height() + 6; }
  void paintEntry(QPainter& painter, const Entry& entry) const;
  void takeHeight();

  TimeRange range_;
  SelectionStatistics statistics_;
  QString statisticsOf_;  // run
  std::vector<Name> waits_;
  std::vector<NodeSign> signs_;
  int tallest_ = 0;  // of this selection and width
};

}  // namespace halo
