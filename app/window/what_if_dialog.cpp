#include "app/window/what_if_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>

#include "views/look/wheel.h"

namespace halo {

namespace {

const QString kOwn = "own", kAnother = "another";  // data of entries that are no preset

QDoubleSpinBox* box(const char* name, double low, double high, double value, int decimals, const char* unit) {
  auto* box = new QDoubleSpinBox;
  box->setObjectName(name);
  box->setDecimals(decimals);
  box->setRange(low, high);
  box->setValue(value);
  box->setSuffix(QString(" ") + unit);
  return box;
}

}  // namespace

WhatIfDialog::WhatIfDialog(const RunRow& run, const std::map<std::string, LinkSettings>& links,
                           const std::optional<RunsNetwork>& network, QWidget* parent)
    : QDialog(parent),
      run_(run.id),
      hasOwn_(network.has_value() || run.workers == 1),
      link_(new QComboBox),
      rank_(new QComboBox),
      gbit_(box("gbit", 0.001, 1e5, 10, 3, "Gbit/s")),
      latency_(box("latency", 0, 1e6, 20, 1, "µs")),
      speed_(box("speed", 0.001, 1000, 2, 3, "times as fast")),
      cores_(new QSpinBox),
      asItWas_(new QCheckBox("Also replay it &unchanged, to see how far replays of it are off")),
      text_(new QPlainTextEdit),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setWindowTitle(QString("What if: run %1, %2 on %3 worker%4")
                     .arg(run.id)
                     .arg(QString::fromStdString(run.method))
                     .arg(run.workers)
                     .arg(run.workers == 1 ? "" : "s"));
  addLinks(links, network);
  addRanks(run.workers);
  cores_->setObjectName("cores");
  cores_->setRange(0, 1'000'000);
  cores_->setSpecialValueText("one for each worker");
  asItWas_->setChecked(hasOwn_);
  asItWas_->setEnabled(hasOwn_);
  layOut();
  connect(link_, &QComboBox::currentIndexChanged, this, &WhatIfDialog::show);
  connect(rank_, &QComboBox::currentIndexChanged, this, &WhatIfDialog::show);
  for (QDoubleSpinBox* each : {gbit_, latency_, speed_})
    connect(each, &QDoubleSpinBox::valueChanged, this, &WhatIfDialog::show);
  connect(cores_, &QSpinBox::valueChanged, this, &WhatIfDialog::show);
  connect(asItWas_, &QCheckBox::toggled, this, &WhatIfDialog::show);
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  show();
}

void WhatIfDialog::addLinks(const std::map<std::string, LinkSettings>& links,
                            const std::optional<RunsNetwork>& network) {
  link_->setObjectName("link");
  if (network)
    link_->addItem(QString("its own, %1 Gbit/s").arg(network->gbit, 0, 'g', 4), kOwn);
  else if (hasOwn_)
    link_->addItem("none: nothing travels", kOwn);
  link_->addItem("another:", kAnother);
  for (const auto& [name, link] : links)
    link_->addItem(QString("%1: %2 Gbit/s, %3 µs")
                       .arg(QString::fromStdString(name))
                       .arg(link.bandwidthGbit, 0, 'g', 4)
                       .arg(link.latencyUs, 0, 'g', 4),
                   QString::fromStdString(name));
}

void WhatIfDialog::addRanks(std::int64_t count) {
  rank_->setObjectName("rank");
  rank_->addItem("all as they were", -1);
  for (std::int64_t rank = 0; rank < count; ++rank)
    rank_->addItem(QString("worker %1").arg(rank), qlonglong{rank});
}

void WhatIfDialog::layOut() {
  for (QWidget* each :
       {static_cast<QWidget*>(link_), static_cast<QWidget*>(rank_), static_cast<QWidget*>(gbit_),
        static_cast<QWidget*>(latency_), static_cast<QWidget*>(speed_), static_cast<QWidget*>(cores_)})
    WheelWithFocusOnly::watch(*each);
  text_->setReadOnly(true);
  text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text_->setMinimumHeight(text_->fontMetrics().lineSpacing() * 14);
  text_->setMinimumWidth(text_->fontMetrics().averageCharWidth() * 64);
  auto* form = new QFormLayout(this);
  if (!hasOwn_) form->addRow(new QLabel("This run's own network is not known, so a link has to be named."));
  form->addRow("&Link of each worker", link_);
  form->addRow("  &bandwidth", gbit_);
  form->addRow("  la&tency", latency_);
  form->addRow("&Speed of", rank_);
  form->addRow("  is", speed_);
  form->addRow("&Cores that all share", cores_);
  form->addRow(asItWas_);
  form->addRow("Experiment", text_);
  form->addRow(buttons_);
  buttons_->button(QDialogButtonBox::Ok)->setText("&Simulate");
}

WhatIf WhatIfDialog::question() const {
  WhatIf question;
  question.run = run_;
  const QString link = link_->currentData().toString();
  if (link == kAnother) {
    question.gbit = gbit_->value();
    question.latencyUs = latency_->value();
  } else if (link != kOwn) {
    question.preset = link;
  }
  question.rank = rank_->currentData().toLongLong();
  if (question.rank >= 0) question.speed = speed_->value();
  question.cores = cores_->value();
  question.asItWas = asItWas_->isChecked();
  return question;
}

void WhatIfDialog::show() {
  const WhatIf whatIf = question();
  const bool otherLink = link_->currentData().toString() == kAnother;
  gbit_->setEnabled(otherLink);
  latency_->setEnabled(otherLink);
  speed_->setEnabled(whatIf.rank >= 0);
  text_->setPlainText(whatIfText(whatIf));
  QPushButton* simulate = buttons_->button(QDialogButtonBox::Ok);
  simulate->setEnabled(whatIf.changes() || whatIf.asItWas);
  simulate->setToolTip(simulate->isEnabled() ? "" : "Nothing is changed yet.");
}

}  // namespace halo
