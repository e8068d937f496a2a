#include "views/figure/forms/notes.h"

#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "views/figure/forms/signs.h"

namespace halo {
namespace {

class Notes {
 public:
  Notes(FigureSheet& sheet, const Plot& plot, Obstacles obstacles)
      : sheet_(sheet), plot_(plot), obstacles_(std::move(obstacles)) {}

  void paint();

 private:
  void place(const FigureNote& note, double x, double top);
  void across(const FigureNote& note);
  std::ptrdiff_t hidden(const QRectF& box) const;
  void ring(QPointF at);
  bool saidNear(QPointF at, const QString& text);
  QString letterFor(const QString& text);
  void pointWord(const FigureNote& note);
  void listed();

  FigureSheet& sheet_;
  const Plot& plot_;
  Obstacles obstacles_;
  std::vector<std::pair<QPointF, QString>> said_;  // by rings
  QStringList listed_;                             // what has no room beside its ring
};

void Notes::paint() {
  double top = plot_.box.top();
  for (const FigureNote& note : sheet_.figure.notes) {
    if (std::isnan(note.x)) {
      across(note);
      continue;
    }
    const double x = plot_.x.at(note.x);
    if (x < plot_.box.left() || x > plot_.box.right()) continue;
    if (!note.y) {
      place(note, x, top);
      top += sheet_.line;
    } else if (note.ring) {
      ring(QPointF(x, plot_.y.at(*note.y)));
    }
  }
  for (const FigureNote& note : sheet_.figure.notes)
    if (note.y && !std::isnan(note.x)) pointWord(note);
  listed();
}

/// A dashed line through the plot, and its words.
void Notes::place(const FigureNote& note, double x, double top) {
  sheet_.painter.setPen(QPen(QColor(sheet_.colors.textWeak), 1, Qt::DashLine));
  sheet_.painter.drawLine(QPointF(x, plot_.box.top()), QPointF(x, plot_.box.bottom()));
  const QString text = QFontMetricsF(sheet_.font).elidedText(note.text, Qt::ElideRight, plot_.box.width());
  const double wide = sheet_.width(text) + 2;
  const double left = x + 3 + wide > sheet_.area.right() ? std::max(plot_.box.left(), x - 3 - wide) : x + 3;
  sheet_.words(QRectF(left, top, wide, sheet_.line), text, QColor(sheet_.colors.text),
               Qt::AlignLeft | Qt::AlignVCenter);
}

/// Its words stand where they hide least, above it where there is room.
void Notes::across(const FigureNote& note) {
  const QRectF& plot = plot_.box;
  const double y = plot_.y.at(*note.y), line = sheet_.line;
  if (y < plot.top() || y > plot.bottom()) return;
  sheet_.painter.setPen(QPen(QColor(sheet_.colors.textWeak), 1, Qt::DashLine));
  sheet_.painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
  const QString text = QFontMetricsF(sheet_.font).elidedText(note.text, Qt::ElideRight, plot.width());
  const double wide = sheet_.width(text) + 2, top = y - line < plot.top() ? y : y - line;
  std::array<QRectF, 5> places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double along = static_cast<double>(i) / static_cast<double>(places.size() - 1);
    places[i] = QRectF(plot.left() + 4 + along * (plot.width() - wide - 4), top, wide, line);
  }
  const QRectF box = *std::ranges::min_element(places, {}, [this](const QRectF& at) { return hidden(at); });
  obstacles_.taken.push_back(box);
  sheet_.words(box, text, QColor(sheet_.colors.text), Qt::AlignLeft | Qt::AlignVCenter);
}

/// How much words in a box would hide: marks and words count more than lines.
std::ptrdiff_t Notes::hidden(const QRectF& box) const {
  const auto meets = [&](const QRectF& other) { return other.intersects(box); };
  return std::ranges::count_if(obstacles_.taken, meets) * 8 + std::ranges::count_if(obstacles_.lines, meets);
}

void Notes::ring(QPointF at) {
  sheet_.painter.setPen(QPen(QColor(sheet_.colors.text), 1.4));
  sheet_.painter.setBrush(Qt::NoBrush);
  sheet_.painter.drawEllipse(at, kMark + 2, kMark + 2);
  obstacles_.taken.push_back(QRectF(at, at).adjusted(-kMark - 2, -kMark - 2, kMark + 2, kMark + 2));
}

/// Of rings on each other that say the same: once will do.
bool Notes::saidNear(QPointF at, const QString& text) {
  const bool again = std::ranges::any_of(said_, [&](const auto& other) {
    return other.second == text && std::hypot(at.x() - other.first.x(), at.y() - other.first.y()) < 4 * kMark;
  });
  said_.emplace_back(at, text);
  return again;
}

QString Notes::letterFor(const QString& text) {
  auto number = listed_.indexOf(text);
  if (number < 0) {
    number = listed_.size();
    listed_ << text;
  }
  return QChar('a' + static_cast<int>(number % 26));
}

/// A ring whose words have no room has a letter instead, and the words stand in a corner. Words that are a
/// letter stand where there is the most room.
void Notes::pointWord(const FigureNote& note) {
  const QPointF at(plot_.x.at(note.x), plot_.y.at(*note.y));
  if (note.ring && saidNear(at, note.text)) return;
  const auto sizeOf = [&](const QString& text) { return QSizeF(sheet_.width(text) + 2, sheet_.line * 0.9); };
  QString text = note.text;
  auto box = placeBeside(at, sizeOf(text), plot_.box, obstacles_, true);
  if (!box && note.ring) {
    if (text.size() > 1) text = letterFor(text);
    box = placeBeside(at, sizeOf(text), plot_.box, obstacles_, false);
    if (!box) box = QRectF(at + QPointF(kMark + 3, -sheet_.line), sizeOf(text));
  }
  if (!box) return;
  obstacles_.taken.push_back(*box);
  sheet_.words(*box, text, QColor(note.ring ? sheet_.colors.text : sheet_.colors.textWeak),
               Qt::AlignLeft | Qt::AlignVCenter);
}

/// In the corner of the plot that hides least.
void Notes::listed() {
  if (listed_.isEmpty()) return;
  QStringList lines;
  for (qsizetype i = 0; i < listed_.size(); ++i)
    lines << QString("%1: %2").arg(QChar('a' + static_cast<int>(i % 26))).arg(listed_[i]);
  double widest = 0;
  for (const QString& text : lines) widest = std::max(widest, sheet_.width(text));
  const double line = sheet_.line;
  const QRectF& plot = plot_.box;
  const QSizeF size(widest + 8, static_cast<double>(listed_.size()) * line + 4);
  const double right = plot.right() - size.width(), bottom = plot.bottom() - size.height() - 4;
  const std::array<QRectF, 4> corners{QRectF({right, plot.top()}, size),
                                      QRectF({plot.left() + 8, bottom}, size), QRectF({right, bottom}, size),
                                      QRectF({plot.left() + 8, plot.top()}, size)};
  const QRectF corner =
      *std::ranges::min_element(corners, {}, [this](const QRectF& box) { return hidden(box); });
  sheet_.painter.fillRect(corner, QColor(sheet_.colors.background));
  for (qsizetype i = 0; i < listed_.size(); ++i)
    sheet_.words(QRectF(corner.left() + 4, corner.top() + 2 + static_cast<double>(i) * line, widest, line),
                 lines[i], QColor(sheet_.colors.text), Qt::AlignLeft | Qt::AlignVCenter);
}

}  // namespace

void paintNotes(FigureSheet& sheet, const Plot& plot, Obstacles obstacles) {
  Notes(sheet, plot, std::move(obstacles)).paint();
}

std::optional<QRectF> placeBeside(QPointF at, QSizeF size, const QRectF& box, const Obstacles& obstacles,
                                  bool offLines) {
  const double away = kMark + 3, w = size.width(), h = size.height();
  const std::array<QPointF, 8> corners{QPointF(away, -h / 2),      QPointF(-away - w, -h / 2),
                                       QPointF(-w / 2, -away - h), QPointF(-w / 2, away),
                                       QPointF(away, -away - h),   QPointF(-away - w, -away - h),
                                       QPointF(away, away),        QPointF(-away - w, away)};
  std::optional<QRectF> best;
  auto fewest = std::numeric_limits<std::ptrdiff_t>::max();
  for (const QPointF& corner : corners) {
    const QRectF place(at + corner, size);
    const auto meets = [&](const QRectF& other) { return other.intersects(place); };
    if (!box.contains(place) || std::ranges::any_of(obstacles.taken, meets)) continue;
    const auto under = std::ranges::count_if(obstacles.lines, meets);
    if (under >= fewest || (offLines && under > 0)) continue;
    best = place;
    fewest = under;
  }
  return best;
}

}  // namespace halo
