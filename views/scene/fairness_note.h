#pragma once

#include <QDialog>
#include <vector>

#include "engine/record/comparison/fairness.h"

class QTextBrowser;

namespace halo {

/// Every difference that is not compared, and why it matters.
class FairnessNote : public QDialog {
  Q_OBJECT
 public:
  explicit FairnessNote(QWidget* parent);

  void show(const std::vector<Objection>& objections);
  QString text() const;

 private:
  QTextBrowser* page_;
};

}  // namespace halo
