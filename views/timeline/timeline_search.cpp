#include "views/timeline/timeline_search.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <utility>

#include "views/look/units.h"

namespace halo {
namespace {

constexpr std::size_t kStretch = 400'000;  // spans read between two events: a few ms

QToolButton* button(const QString& text, const QString& meaning) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setToolTip(meaning);
  button->setAccessibleName(meaning);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::TabFocus);  // a click leaves the line its keys
  return button;
}

}  // namespace

TimelineSearch::TimelineSearch(const TimelineBlocks& blocks, const TimeWindow& window,
                               const TimelineSelection& selection, QWidget* parent)
    : QWidget(parent),
      blocks_(blocks),
      window_(window),
      selection_(selection),
      line_(new QLineEdit),
      words_(new QLabel) {
  line_->setPlaceholderText(tr("Name of spans, or a part of it"));
  line_->setAccessibleName(tr("Search spans by name"));
  line_->setMaximumWidth(320);
  line_->installEventFilter(this);
  auto* previous = button(QStringLiteral("◂"), tr("Previous (Shift+Enter)"));
  auto* next = button(QStringLiteral("▸"), tr("Next (Enter)"));
  auto* close = button(QStringLiteral("✕"), tr("Close (Esc)"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);  // the lanes have the room
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 3, 4, 3);
  layout->addWidget(line_, 2);
  layout->addWidget(previous);
  layout->addWidget(next);
  layout->addWidget(words_, 3);
  layout->addWidget(close);
  next_.setInterval(0);
  connect(&next_, &QTimer::timeout, this, &TimelineSearch::readMore);
  connect(line_, &QLineEdit::textChanged, this, &TimelineSearch::begin);
  connect(previous, &QToolButton::clicked, this, [this] { step(-1); });
  connect(next, &QToolButton::clicked, this, [this] { step(1); });
  connect(close, &QToolButton::clicked, this, &TimelineSearch::left);
  connect(&selection, &TimelineSelection::changed, this, &TimelineSearch::tell);
  // rows that were read may be gone
  connect(&blocks, &TimelineBlocks::rowsChanged, this, &TimelineSearch::begin);
  connect(&blocks, &TimelineBlocks::spansChanged, this, [this] {
    if (isVisible() && !search_.empty()) next_.start();
  });
}

void TimelineSearch::open() {
  show();
  line_->setFocus();
  line_->selectAll();
}

void TimelineSearch::begin() {
  wanted_ = 0;
  search_.begin(isVisible() ? blocks_.everyRow() : std::vector<RowEntry>(), line_->text());
  next_.start();
  tell();
}

void TimelineSearch::readMore() {
  if (!search_.advance(kStretch)) next_.stop();
  tell();
  if (settled() && wanted_ != 0) step(std::exchange(wanted_, 0));
}

void TimelineSearch::step(int by) {
  if (!settled()) {
    wanted_ = by;
    return;
  }
  if (const auto span = search_.next(selection_.current(), window_.visible().beginNs, by))
    emit spanWanted(*span);
}

QString TimelineSearch::text() const {
  if (search_.empty()) return {};
  const auto count = static_cast<std::int64_t>(search_.count());
  const QString all = formatCount(count) + (settled() ? QString() : QStringLiteral("…"));
  const auto current = selection_.current();
  const std::size_t number = current ? search_.numberOf(*current) : 0;
  if (number > 0) return tr("%1 of %2").arg(formatCount(static_cast<std::int64_t>(number)), all);
  if (count == 0 && settled()) return tr("no span has this name");
  return count == 1 ? tr("%1 span").arg(all) : tr("%1 spans").arg(all);
}

void TimelineSearch::tell() {
  words_->setText(text());
  line_->setAccessibleDescription(words_->text());
}

bool TimelineSearch::eventFilter(QObject* watched, QEvent* event) {
  if (watched != line_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      step(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
      return true;
    case Qt::Key_Escape:
      emit left();
      return true;
    default:
      return false;
  }
}

void TimelineSearch::showEvent(QShowEvent*) { begin(); }

/// Rows are not kept while nobody looks.
void TimelineSearch::hideEvent(QHideEvent*) {
  next_.stop();
  search_.begin({}, {});
}

}  // namespace halo
