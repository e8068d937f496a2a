#pragma once

#include <QAbstractItemView>
#include <QLabel>

namespace halo {

/// What stands in a list, table or tree while it has no row: why, and how it gets some. Owned by the view,
/// whose model is set before.
class EmptyNote : public QLabel {
 public:
  explicit EmptyNote(QAbstractItemView& view, const QString& words = {});

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow();

  QAbstractItemView& view_;
};

}  // namespace halo
