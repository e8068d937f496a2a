#include "views/scene/fairness_note.h"

#include <QDialogButtonBox>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "views/look/figure_text.h"

namespace halo {

FairnessNote::FairnessNote(QWidget* parent) : QDialog(parent), page_(new QTextBrowser) {
  setObjectName("fairnessNote");
  setWindowTitle("Not alike, though not compared");
  page_->setAccessibleName(windowTitle());
  page_->setFrameShape(QFrame::NoFrame);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(page_, 1);
  layout->addWidget(buttons);
  const int letter = fontMetrics().averageCharWidth(), line = fontMetrics().lineSpacing();
  resize(80 * letter, 18 * line);
}

void FairnessNote::show(const std::vector<Objection>& objections) {
  QString page;
  for (const Objection& objection : objections) {
    QString sentence = drawable(QString::fromStdString(objection.sentence));
    sentence.replace(0, 1, sentence.left(1).toUpper());
    page += QString("<p><b>%1.</b><br>%2</p>")
                .arg(sentence.toHtmlEscaped(),
                     QString::fromStdString(whyItMatters(objection.setting)).toHtmlEscaped());
  }
  page_->setHtml(page);
  QDialog::show();
  raise();
  activateWindow();
  page_->setFocus();
}

QString FairnessNote::text() const { return page_->toPlainText(); }

}  // namespace halo
