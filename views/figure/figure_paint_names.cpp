#include <QFontMetricsF>
#include <algorithm>

#include "views/figure/figure_painter.h"

namespace halo {

namespace {

/// Broken at blanks; a word too long for `room` is cut in its middle, and so is what is left after the last
/// line.
QStringList wrapped(const QString& text, double room, qsizetype mostLines, const QFontMetricsF& metrics) {
  QStringList lines{QString()};
  for (const QString& word : text.split(' ')) {
    const QString longer = lines.back().isEmpty() ? word : lines.back() + ' ' + word;
    if (lines.back().isEmpty() || lines.size() == mostLines || metrics.horizontalAdvance(longer) <= room)
      lines.back() = longer;
    else
      lines << word;
  }
  for (QString& line : lines) line = metrics.elidedText(line, Qt::ElideMiddle, room);
  return lines;
}

QString firstLine(const QString& name) { return name.section('\n', 0, 0); }

}  // namespace

/// None where a name has not two lines, or all second ones differ.
std::vector<FigurePainter::NameGroup> FigurePainter::nameGroups(double step) const {
  std::vector<NameGroup> groups;
  QString before;
  for (qsizetype i = 0; i < figure_.x.categories.size(); ++i) {
    const QStringList parts = figure_.x.categories[i].split('\n');
    if (parts.size() != 2) return {};
    if (groups.empty() || parts[1] != before) groups.push_back({i, 0, {}});
    ++groups.back().count;
    before = parts[1];
  }
  if (static_cast<qsizetype>(groups.size()) == figure_.x.categories.size()) return {};
  constexpr qsizetype kMostLines = 4;
  for (NameGroup& group : groups)
    group.lines = wrapped(figure_.x.categories[group.first].split('\n')[1],
                          step * static_cast<double>(group.count) - 6, kMostLines, QFontMetricsF(font_));
  return groups;
}

/// Of upright names of parts, and below them what each group of parts is of.
double FigurePainter::sharedNamesHeight(double step) {
  shared_ = nameGroups(step);
  qsizetype lines = 0;
  for (const NameGroup& group : shared_) lines = std::max(lines, group.lines.size());
  double widest = 0;
  for (const QString& name : figure_.x.categories) widest = std::max(widest, width(firstLine(name)));
  return widest + 8 + static_cast<double>(lines) * line_;
}

void FigurePainter::sharedNames(double step) {
  double widest = 0;
  for (const QString& name : figure_.x.categories) widest = std::max(widest, width(firstLine(name)));
  for (qsizetype i = 0; i < figure_.x.categories.size(); ++i)
    uprightWords(plot_.left() + (static_cast<double>(i) + 0.5) * step, plot_.bottom() + 4,
                 firstLine(figure_.x.categories[i]), QColor(colors_.textWeak), Qt::AlignRight);
  const double top = plot_.bottom() + widest + 8;
  for (const NameGroup& group : shared_) {
    const double left = plot_.left() + static_cast<double>(group.first) * step;
    const double wide = static_cast<double>(group.count) * step;
    p_.setPen(QPen(QColor(colors_.grid), 1));
    if (group.first > 0) {
      const double bottom = top + static_cast<double>(group.lines.size()) * line_;
      p_.drawLine(QPointF(left, plot_.top()), QPointF(left, bottom));
    }
    for (qsizetype row = 0; row < group.lines.size(); ++row)
      words(QRectF(left + 3, top + static_cast<double>(row) * line_, wide - 6, line_), group.lines[row],
            QColor(colors_.text), Qt::AlignHCenter | Qt::AlignTop);
  }
}

/// In as many lines as there is room for beside each other; without what the names of all begin with.
void FigurePainter::uprightName(qsizetype i, double middle, double step) {
  const QStringList& names = figure_.x.categories;
  const bool same = names.size() > 1 && std::ranges::all_of(names, [&](const QString& name) {
                      return name.contains('\n') && firstLine(name) == firstLine(names.front());
                    });
  const QString name = same ? names[i].section('\n', 1) : names[i];
  const auto most = std::max<qsizetype>(1, static_cast<qsizetype>((step - 4) / line_));
  const QStringList lines = wrapped(onOneLine(name), namesHeight() - 3, most, QFontMetricsF(font_));
  for (qsizetype line = 0; line < lines.size(); ++line)
    uprightWords(middle + (static_cast<double>(line) - static_cast<double>(lines.size() - 1) / 2) * line_,
                 plot_.bottom() + 4, lines[line], QColor(colors_.textWeak), Qt::AlignRight);
}

}  // namespace halo
