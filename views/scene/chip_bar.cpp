#include "views/scene/chip_bar.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QPainter>
#include <QPixmap>
#include <QPushButton>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/look/figure_text.h"
#include "views/look/palette.h"
#include "views/scene/fairness_note.h"
#include "views/scene/scope_bar.h"

namespace halo {

namespace {

/// A square of the chip's colour; of what is modelled hatched.
QPixmap swatch(const Palette& colors, int color, bool modelled, double ratio) {
  constexpr int kSide = 12;
  QPixmap picture(QSize(kSide, kSide) * ratio);
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  const QColor fill(seriesColor(colors.theme, color));
  painter.setPen(fill);
  painter.setBrush(modelled ? QBrush(fill, Qt::BDiagPattern) : QBrush(fill));
  painter.drawRect(0, 0, kSide - 1, kSide - 1);
  return picture;
}

QString countOf(const std::vector<Objection>& objections) {
  return QString("⚠ %1 not alike").arg(objections.size());
}

/// The first, and how many more there are.
QString shortened(const std::vector<Objection>& objections) {
  QString text = "⚠ Not alike: " + QString::fromStdString(objections.front().sentence);
  if (objections.size() > 1) text += QString("; and %1 more").arg(objections.size() - 1);
  return text;
}

QString listed(const std::vector<Objection>& objections) {
  QStringList lines;
  for (const Objection& each : objections) lines << QString::fromStdString(each.sentence);
  return lines.join('\n');
}

}  // namespace

ChipBar::ChipBar(Scene& scene, QWidget* parent)
    : QWidget(parent),
      scene_(scene),
      row_(new QHBoxLayout),
      scope_(new ScopeBar(scene)),
      fairness_(new QPushButton),
      note_(new FairnessNote(this)) {
  setObjectName("chips");
  row_->setContentsMargins(0, 0, 0, 0);
  row_->setSpacing(6);
  fairness_->setObjectName("fairness");
  fairness_->setFlat(true);
  fairness_->setCursor(Qt::PointingHandCursor);
  fairness_->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Ignored);  // no higher than chips
  connect(fairness_, &QPushButton::clicked, this, [this] { note_->show(data_.fairness); });
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 2, 8, 2);
  column->setSpacing(0);
  column->setSizeConstraint(QLayout::SetNoConstraint);
  column->addLayout(row_);
  column->addWidget(scope_);
  hide();
}

void ChipBar::show(const SceneData& scene) {
  data_ = scene;
  rebuild();
  showRanks();
}

/// How those of each chip stand together with the baseline's.
void ChipBar::showRanks() {
  const std::vector<RankFacts>& facts = data_.comparison.rankFacts;
  QStringList matched;
  for (std::size_t c = 1; c < facts.size(); ++c)
    if (facts[c].count() > 0 && facts[0].count() > 0 && facts[c].count() != facts[0].count())
      matched << QString("%1 to %2: %3")
                     .arg(chipLetter(data_.compared[0]), chipLetter(data_.compared[c]),
                          QString::fromStdString(rankMap(facts[0], facts[c], data_.state.ranks).words));
  scope_->showRanks(!matched.isEmpty(), matched.join('\n'));
}

void ChipBar::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && !data_.chips.empty()) rebuild();
  QWidget::changeEvent(event);
}

/// Chips share the row: with eight of them names are short, and the pointer has them whole.
int ChipBar::nameWidth() const {
  constexpr int kFewest = 4, kMost = 40, kAround = 90;  // letters, and pixels of swatch, letter and cross
  const int letter = fontMetrics().averageCharWidth();
  const int besides =
      data_.fairness.empty() ? 0 : fontMetrics().horizontalAdvance(countOf(data_.fairness)) + kAround / 2;
  const int share = (width() - besides) / std::max(1, static_cast<int>(data_.chips.size())) - kAround;
  return std::clamp(share, kFewest * letter, kMost * letter);
}

void ChipBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->oldSize().width() != width() && !data_.chips.empty()) rebuild();
}

QWidget* ChipBar::chipWidget(std::size_t place) {
  const ChipData& chip = data_.chips[place];
  auto* frame = new QFrame;
  frame->setFrameShape(QFrame::StyledPanel);
  auto* row = new QHBoxLayout(frame);
  row->setContentsMargins(4, 0, 0, 0);
  row->setSpacing(0);
  auto* name = new QToolButton;
  name->setAutoRaise(true);
  name->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  name->setIcon(swatch(halo::palette(themeOf(QWidget::palette())), chip.chip.color, chip.modelled,
                       devicePixelRatioF()));
  name->setText(chipLetter(place) + "  " + fontMetrics().elidedText(chip.name, Qt::ElideRight, nameWidth()));
  const QString hint =
      place == 0 ? "The baseline: differences are held against it." : "Click: make it the baseline.";
  const QString replayed = chip.replay ? replayText(*chip.replay) + "\n" : QString();
  name->setToolTip(plainRich(chip.name + "\n" + replayed + (chip.problem.isEmpty() ? hint : chip.problem)));
  name->setAccessibleName((place == 0 ? "Baseline " : "Compared run ") + chip.name);
  QFont font = name->font();
  font.setBold(place == 0);
  name->setFont(font);
  connect(name, &QToolButton::clicked, this, [this, place] { scene_.setBaseline(static_cast<int>(place)); });
  auto* away = new QToolButton;
  away->setAutoRaise(true);
  away->setText("✕");
  away->setToolTip("Take it out of the comparison");
  away->setAccessibleName("Take away " + chip.name);
  connect(away, &QToolButton::clicked, this, [this, place] { scene_.remove(static_cast<int>(place)); });
  row->addWidget(name);
  row->addWidget(away);
  return frame;
}

void ChipBar::rebuild() {
  while (QLayoutItem* item = row_->takeAt(0)) {
    if (item->widget() != nullptr && item->widget() != fairness_)
      item->widget()->deleteLater();  // the click that asks for it may come from within
    delete item;
  }
  for (std::size_t place = 0; place < data_.chips.size(); ++place) row_->addWidget(chipWidget(place));
  tellFairness();
  row_->addWidget(fairness_);
  row_->addStretch(1);
  setVisible(!data_.chips.empty());
}

/// As much of the first difference as chips leave room for, or how many there are.
void ChipBar::tellFairness() {
  fairness_->setVisible(!data_.fairness.empty());
  if (data_.fairness.empty()) return note_->hide();
  if (note_->isVisible()) note_->show(data_.fairness);
  constexpr int kMargins = 44, kLeast = 24;  // pixels around the words; letters that say anything
  int chips = 0;  // of the widgets: an item of one that is not shown yet takes no room
  for (int i = 0; i < row_->count(); ++i)
    chips += row_->itemAt(i)->widget()->sizeHint().width() + row_->spacing();
  const int room = width() - chips - kMargins;
  const bool fits = room > kLeast * fontMetrics().averageCharWidth();
  fairness_->setText(fits ? fontMetrics().elidedText(shortened(data_.fairness), Qt::ElideRight, room)
                          : countOf(data_.fairness));
  fairness_->setToolTip(plainRich(listed(data_.fairness) + "\nClick: why it matters."));
  fairness_->setAccessibleName("Not alike: " + listed(data_.fairness));
  QPalette colors = QWidget::palette();
  colors.setColor(QPalette::ButtonText, QColor(halo::palette(themeOf(colors)).failure));
  fairness_->setPalette(colors);
}

}  // namespace halo
