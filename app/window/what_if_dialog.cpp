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
#include <initializer_list>

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

QSpinBox* wholeBox(const char* name, int high, const char* special) {
  auto* box = new QSpinBox;
  box->setObjectName(name);
  box->setRange(0, high);
  box->setSpecialValueText(special);
  return box;
}

QComboBox* overlapBox() {
  auto* box = new QComboBox;
  box->setObjectName("overlap");
  box->addItem("as it was", QString());
  box->addItem("none: rows are waited for once they are sent", QString("none"));
  box->addItem("all sums, the most that can be hidden", QString("all"));
  return box;
}

}  // namespace

WhatIfDialog::WhatIfDialog(const RunRow& run, const std::map<std::string, LinkSettings>& links,
                           const std::optional<RunsNetwork>& network, QWidget* parent)
    : QDialog(parent),
      run_(run.id),
      network_(network),
      hasOwn_(network.has_value() || run.workers == 1),
      link_(new QComboBox),
      rank_(new QComboBox),
      overlap_(overlapBox()),
      gbit_(box("gbit", 0.001, 1e5, 10, 3, "Gbit/s")),
      latency_(box("latency", 0, 1e6, 20, 1, "µs")),
      speed_(box("speed", 0.001, 1000, 2, 3, "times as fast")),
      cores_(wholeBox("cores", 1'000'000, "one for each worker")),
      bits_(wholeBox("bits", 32, "as they were")),
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
  asItWas_->setChecked(hasOwn_);
  asItWas_->setEnabled(hasOwn_);
  layOut();
  for (QComboBox* each : {link_, rank_, overlap_})
    connect(each, &QComboBox::currentIndexChanged, this, &WhatIfDialog::show);
  for (QDoubleSpinBox* each : {gbit_, latency_, speed_})
    connect(each, &QDoubleSpinBox::valueChanged, this, &WhatIfDialog::show);
  for (QSpinBox* each : {cores_, bits_}) connect(each, &QSpinBox::valueChanged, this, &WhatIfDialog::show);
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
       std::initializer_list<QWidget*>{link_, gbit_, latency_, rank_, speed_, cores_, bits_, overlap_})
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
  form->addRow("B&its of rows that travel", bits_);
  form->addRow("Computing &while rows travel", overlap_);
  form->addRow(asItWas_);
  form->addRow("Experiment", text_);
  form->addRow(buttons_);
  buttons_->button(QDialogButtonBox::Ok)->setText("&Simulate");
}

void WhatIfDialog::begin(const Span& span, std::int64_t rank) {
  const bool computes = span.kind == Kind::compute || span.kind == Kind::quantise;
  if (computes) return rank_->setCurrentIndex(rank_->findData(qlonglong{rank}));
  if (!network_ || (span.kind != Kind::communication && span.kind != Kind::synchronise)) return;
  link_->setCurrentIndex(link_->findData(kAnother));
  gbit_->setValue(2 * network_->gbit);
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
  question.bits = bits_->value();
  question.overlap = overlap_->currentData().toString();
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
