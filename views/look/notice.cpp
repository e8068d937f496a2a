#include "views/look/notice.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace halo {

Notice::Notice(QWidget* parent) : QWidget(parent), label_(new QLabel), button_(new QPushButton) {
  label_->setAlignment(Qt::AlignCenter);
  label_->setTextFormat(Qt::PlainText);
  label_->setWordWrap(true);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* layout = new QVBoxLayout(this);
  layout->addStretch(1);
  layout->addWidget(label_);
  layout->addWidget(button_, 0, Qt::AlignCenter);
  layout->addStretch(1);
  button_->hide();
  connect(button_, &QPushButton::clicked, this, &Notice::pressed);
}

void Notice::tell(const QString& sentence, const QString& button) {
  label_->setText(sentence);
  button_->setText(button);
  button_->setVisible(!button.isEmpty());
}

QString Notice::sentence() const { return label_->text(); }

}  // namespace halo
