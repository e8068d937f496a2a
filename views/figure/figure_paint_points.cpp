#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "views/figure/figure_painter.h"

namespace halo {

namespace {
constexpr double kMark = 4.5;  // half the size of a mark
}

void FigurePainter::mark(QPointF at, const FigureSeries& series, const QColor& color) {
  p_.setPen(QPen(color, 1.6));
  p_.setBrush(series.outlined ? QBrush(QColor(colors_.background)) : QBrush(color));
  const auto polygon = [&](std::initializer_list<QPointF> corners) {
    QPolygonF shape;
    for (const QPointF& corner : corners) shape << at + corner * kMark;
    p_.drawPolygon(shape);
  };
  switch (series.mark) {
    case FigureMark::none:
      break;
    case FigureMark::dot:
      p_.drawEllipse(at, kMark * 0.9, kMark * 0.9);
      break;
    case FigureMark::square:
      polygon({{-0.8, -0.8}, {0.8, -0.8}, {0.8, 0.8}, {-0.8, 0.8}});
      break;
    case FigureMark::triangle:
      polygon({{0, -1.1}, {1.05, 0.8}, {-1.05, 0.8}});
      break;
    case FigureMark::diamond:
      polygon({{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}});
      break;
    case FigureMark::cross:
      p_.drawLine(at - QPointF(kMark, kMark) * 0.8, at + QPointF(kMark, kMark) * 0.8);
      p_.drawLine(at - QPointF(kMark, -kMark) * 0.8, at + QPointF(kMark, -kMark) * 0.8);
      break;
  }
}

/// In short pieces, as words stand beside lines where they can.
void FigurePainter::addSegment(QPointF from, QPointF to) {
  constexpr double kPiece = 6;
  const QPointF way = to - from;
  const int pieces = 1 + static_cast<int>(std::hypot(way.x(), way.y()) / kPiece);
  for (int i = 0; i <= pieces; ++i) {
    const QPointF at = from + way * (static_cast<double>(i) / pieces);
    lines_.push_back(QRectF(at, at).adjusted(-1, -1, 1, 1));
  }
}

/// A point that is not a number ends a line; another may begin after it.
void FigurePainter::points() {
  xTicks();
  seriesPoints();
}

void FigurePainter::seriesPoints() {
  for (std::size_t s = 0; s < figure_.series.size(); ++s) {
    const FigureSeries& series = figure_.series[s];
    if (series.band) continue;
    const QColor color = figureColor(series, s, style_.theme);
    QPolygonF line, all;
    const auto stroke = [&] {
      if (series.joined && line.size() > 1) {
        p_.setPen(
            QPen(color, 1.6, seriesDash(static_cast<std::size_t>(series.dash)), Qt::FlatCap, Qt::RoundJoin));
        p_.setBrush(Qt::NoBrush);
        p_.drawPolyline(line);
        for (qsizetype i = 1; i < line.size(); ++i) addSegment(line[i - 1], line[i]);
      }
      line.clear();
    };
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      if (!isDrawn(series.x[i], series.y[i])) {
        stroke();
        continue;
      }
      const QPointF at(x_.at(series.x[i]), y_.at(series.y[i]));
      line << at;
      if (series.mark == FigureMark::none) continue;
      all << at;
      const QRectF box = QRectF(at, at).adjusted(-kMark, -kMark, kMark, kMark);
      taken_.push_back(box);
      if (hits_ != nullptr) hits_->push_back({box, s, i});
    }
    stroke();
    for (const QPointF& at : all) mark(at, series, color);
  }
}

/// Where words `size` large stand beside `at`, on the plot and free of marks and words: the first place that
/// is off all lines, or, if they may lie on some, the one on the fewest; else none.
std::optional<QRectF> FigurePainter::placeBeside(QPointF at, QSizeF size, bool offLines) const {
  const double away = kMark + 3, w = size.width(), h = size.height();
  const std::array<QPointF, 8> corners{QPointF(away, -h / 2),      QPointF(-away - w, -h / 2),
                                       QPointF(-w / 2, -away - h), QPointF(-w / 2, away),
                                       QPointF(away, -away - h),   QPointF(-away - w, -away - h),
                                       QPointF(away, away),        QPointF(-away - w, away)};
  std::optional<QRectF> best;
  auto fewest = std::numeric_limits<std::ptrdiff_t>::max();
  for (const QPointF& corner : corners) {
    const QRectF box(at + corner, size);
    const auto meets = [&](const QRectF& other) { return other.intersects(box); };
    if (!plot_.contains(box) || std::ranges::any_of(taken_, meets)) continue;
    const auto under = std::ranges::count_if(lines_, meets);
    if (under >= fewest || (offLines && under > 0)) continue;
    best = box;
    fewest = under;
  }
  return best;
}

/// Names of points give way to rings, which are drawn in any case. Words of places have a line each, to the
/// left where there is no room to the right.
void FigurePainter::notes() {
  double top = plot_.top();
  for (const FigureNote& note : figure_.notes) {
    if (std::isnan(note.x)) {
      noteAcross(note);
      continue;
    }
    const double x = x_.at(note.x);
    if (x < plot_.left() || x > plot_.right()) continue;
    if (!note.y) {
      p_.setPen(QPen(QColor(colors_.textWeak), 1, Qt::DashLine));
      p_.drawLine(QPointF(x, plot_.top()), QPointF(x, plot_.bottom()));
      const QString text = QFontMetricsF(font_).elidedText(note.text, Qt::ElideRight, plot_.width());
      const double wide = width(text) + 2;
      const double left = x + 3 + wide > area_.right() ? std::max(plot_.left(), x - 3 - wide) : x + 3;
      words(QRectF(left, top, wide, line_), text, QColor(colors_.text), Qt::AlignLeft | Qt::AlignVCenter);
      top += line_;
      continue;
    }
    const QPointF at(x, y_.at(*note.y));
    if (note.ring) {
      p_.setPen(QPen(QColor(colors_.text), 1.4));
      p_.setBrush(Qt::NoBrush);
      p_.drawEllipse(at, kMark + 2, kMark + 2);
      taken_.push_back(QRectF(at, at).adjusted(-kMark - 2, -kMark - 2, kMark + 2, kMark + 2));
    }
  }
  noteWords();
}

/// Its words stand at its right end, above it where there is room.
void FigurePainter::noteAcross(const FigureNote& note) {
  const double y = y_.at(*note.y);
  if (y < plot_.top() || y > plot_.bottom()) return;
  p_.setPen(QPen(QColor(colors_.textWeak), 1, Qt::DashLine));
  p_.drawLine(QPointF(plot_.left(), y), QPointF(plot_.right(), y));
  const QString text = QFontMetricsF(font_).elidedText(note.text, Qt::ElideRight, plot_.width());
  const double wide = width(text) + 2, top = y - line_ < plot_.top() ? y : y - line_;
  const QRectF box(plot_.right() - wide, top, wide, line_);
  taken_.push_back(box);
  words(box, text, QColor(colors_.text), Qt::AlignLeft | Qt::AlignVCenter);
}

/// A ring whose words have no room has a letter instead, and the words stand in a corner.
void FigurePainter::noteWords() {
  QStringList listed;
  std::vector<std::pair<QPointF, QString>> said;
  for (const FigureNote& note : figure_.notes) {
    if (!note.y || std::isnan(note.x)) continue;
    const QPointF at(x_.at(note.x), y_.at(*note.y));
    if (note.ring) {
      // rings on each other that say the same: once will do
      const bool again = std::ranges::any_of(said, [&](const auto& other) {
        return other.second == note.text &&
               std::hypot(at.x() - other.first.x(), at.y() - other.first.y()) < 4 * kMark;
      });
      said.emplace_back(at, note.text);
      if (again) continue;
    }
    const auto beside = [&](const QString& text, bool offLines) {
      return placeBeside(at, QSizeF(width(text) + 2, line_ * 0.9), offLines);
    };
    QString text = note.text;
    auto box = beside(text, true);
    if (!box && note.ring) {
      auto place = listed.indexOf(text);
      if (place < 0) {
        place = listed.size();
        listed << text;
      }
      text = QChar('a' + static_cast<int>(place % 26));
      box = beside(text, false);
      if (!box) box = QRectF(at + QPointF(kMark + 3, -line_), QSizeF(width(text) + 2, line_ * 0.9));
    }
    if (!box) continue;
    taken_.push_back(*box);
    words(*box, text, QColor(note.ring ? colors_.text : colors_.textWeak), Qt::AlignLeft | Qt::AlignVCenter);
  }
  listNotes(listed);
}

/// In the corner of the plot that hides least.
void FigurePainter::listNotes(const QStringList& listed) {
  if (listed.isEmpty()) return;
  QStringList lines;
  for (qsizetype i = 0; i < listed.size(); ++i)
    lines << QString("%1: %2").arg(QChar('a' + static_cast<int>(i % 26))).arg(listed[i]);
  double widest = 0;
  for (const QString& text : lines) widest = std::max(widest, width(text));
  const QSizeF size(widest + 8, static_cast<double>(listed.size()) * line_ + 4);
  const double right = plot_.right() - size.width(), bottom = plot_.bottom() - size.height() - 4;
  const std::array<QRectF, 4> corners{QRectF({right, plot_.top()}, size),
                                      QRectF({plot_.left() + 8, bottom}, size), QRectF({right, bottom}, size),
                                      QRectF({plot_.left() + 8, plot_.top()}, size)};
  const auto hidden = [&](const QRectF& corner) {
    const auto meets = [&](const QRectF& other) { return other.intersects(corner); };
    return std::ranges::count_if(taken_, meets) * 8 + std::ranges::count_if(lines_, meets);
  };
  const QRectF corner = *std::ranges::min_element(corners, {}, hidden);
  p_.fillRect(corner, QColor(colors_.background));
  for (qsizetype i = 0; i < listed.size(); ++i)
    words(QRectF(corner.left() + 4, corner.top() + 2 + static_cast<double>(i) * line_, widest, line_),
          lines[i], QColor(colors_.text), Qt::AlignLeft | Qt::AlignVCenter);
}

void FigurePainter::uprightWords(double middle, double top, const QString& text, const QColor& color,
                                 Qt::Alignment end) {
  constexpr double kLong = 1000;  // more than any text; `end` says where it stands
  p_.save();
  p_.translate(middle, top);
  p_.rotate(-90);
  const double from = end.testFlag(Qt::AlignRight) ? -kLong : 0;
  words(QRectF(from, -line_ / 2, kLong, line_), text, color, end | Qt::AlignVCenter);
  p_.restore();
}

/// In lines of their own where a name has several, or upright; shortened to its group, and where that leaves
/// nothing of it every k-th.
void FigurePainter::groupNames(double step) {
  if (!shared_.empty()) return sharedNames(step);
  constexpr double kShortest = 40;
  const auto every = upright_ || twoLines_ ? 1 : nameStep(kShortest / step);
  const double room = static_cast<double>(every) * step - 4;
  for (qsizetype i = 0; i < figure_.x.categories.size(); i += every) {
    const double middle = plot_.left() + (double(i) + 0.5) * step;
    if (upright_) {
      uprightName(i, middle, step);
      continue;
    }
    const QString& name = figure_.x.categories[i];
    const QStringList parts = (twoLines_ ? inTwoLines(name, room) : name).split('\n');
    for (qsizetype row = 0; row < parts.size(); ++row)
      words(QRectF(middle - room / 2, plot_.bottom() + 2 + double(row) * line_ * 0.95, room, line_),
            QFontMetricsF(font_).elidedText(parts[row], Qt::ElideRight, room), QColor(colors_.textWeak),
            Qt::AlignHCenter | Qt::AlignTop);
  }
}

/// The bars of the series side by side at each category, words over the tallest.
void FigurePainter::groups() {
  const auto count = figure_.x.categories.size();
  const double step = plot_.width() / static_cast<double>(std::max<qsizetype>(1, count));
  groupNames(step);
  const double group = std::min(0.8 * step, 60.0 * static_cast<double>(figure_.series.size()));
  const double wide = group / static_cast<double>(figure_.series.size());
  std::vector<double> top(static_cast<std::size_t>(count), plot_.bottom());
  for (std::size_t s = 0; s < figure_.series.size(); ++s) {
    const FigureSeries& series = figure_.series[s];
    const QColor color = figureColor(series, s, style_.theme);
    for (std::size_t i = 0; i < std::min(top.size(), series.y.size()); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      const double left = plot_.left() + (static_cast<double>(i) + 0.5) * step - group / 2;
      const QRectF box(left + static_cast<double>(s) * wide, y_.at(series.y[i]), wide * 0.92,
                       plot_.bottom() - y_.at(series.y[i]));
      bar(box, series, color);
      if (hits_ != nullptr && !box.isEmpty()) hits_->push_back({box, s, i});
      top[i] = std::min(top[i], box.top());
    }
  }
  for (const FigureSeries& series : figure_.series)
    for (std::size_t i = 0; i < std::min(top.size(), series.labels.size()); ++i) {
      const double middle = plot_.left() + (static_cast<double>(i) + 0.5) * step;
      if (width(series.labels[i]) + 2 > step) {
        if (step >= line_)  // else the CSV form and the pointer have it
          uprightWords(middle, top[i] - 3, series.labels[i], QColor(colors_.text), Qt::AlignLeft);
        continue;
      }
      words(QRectF(middle - step / 2, top[i] - line_, step, line_), series.labels[i], QColor(colors_.text),
            Qt::AlignCenter);
    }
}

}  // namespace halo
