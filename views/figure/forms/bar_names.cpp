#include "views/figure/forms/bar_names.h"

#include <QFontMetricsF>
#include <algorithm>

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

double stepOf(double plotWidth, qsizetype categories) {
  return plotWidth / static_cast<double>(std::max<qsizetype>(1, categories));
}

}  // namespace

/// They stand in order, so that every k-th will do.
bool BarNames::allNumbers() const {
  return std::ranges::all_of(sheet_.figure.x.categories, [](const QString& name) {
    bool number = false;
    name.toLongLong(&number);
    return number;
  });
}

double BarNames::layOut(double plotWidth) {
  const QStringList& names = sheet_.figure.x.categories;
  const double step = stepOf(plotWidth, names.size()), line = sheet_.line;
  qsizetype lines = 1;
  double widest = 0, longest = 0;
  for (const QString& name : names) {
    const QStringList parts = name.split('\n');
    lines = std::max(lines, parts.size());
    for (const QString& part : parts) widest = std::max(widest, sheet_.width(part));
    longest = std::max(longest, sheet_.width(onOneLine(name)));
  }
  const bool stacks = below_ == Below::stacks;
  upright_ = !(stacks && allNumbers()) && widest + 4 > step && step >= line;
  shared_.clear();
  if (upright_ && !stacks) shared_ = sharedLines(step);
  if (!shared_.empty()) return height_ = sharedHeight();
  const auto breaks = [&](const QString& name) { return !inTwoLines(name, step - 4).isEmpty(); };
  twoLines_ = upright_ && stacks && lines == 1 && std::ranges::all_of(names, breaks);
  if (twoLines_) upright_ = false, lines = 2;
  height_ =
      upright_ ? std::min(longest + 4, sheet_.style.size.height() / 2) : static_cast<double>(lines) * line;
  return height_;
}

/// In lines of their own where a name has several, or upright; shortened to its group, and where that leaves
/// nothing of it every k-th.
void BarNames::paint(const Plot& plot) {
  const double step = stepOf(plot.box.width(), sheet_.figure.x.categories.size());
  if (!shared_.empty())
    paintShared(plot, step);
  else if (upright_)
    paintUpright(plot, step);
  else if (below_ == Below::stacks && !twoLines_)
    categoryNames(sheet_, plot, step);
  else
    paintLevel(plot, step);
}

/// Broken at one of its blanks; empty where that is not enough.
QString BarNames::inTwoLines(const QString& name, double room) const {
  if (sheet_.width(name) <= room) return name;
  for (qsizetype blank = name.indexOf(' '); blank > 0; blank = name.indexOf(' ', blank + 1))
    if (sheet_.width(name.left(blank)) <= room && sheet_.width(name.mid(blank + 1)) <= room)
      return name.left(blank) + '\n' + name.mid(blank + 1);
  return {};
}

/// None where a name has not two lines, or all second ones differ.
std::vector<BarNames::Shared> BarNames::sharedLines(double step) const {
  const QStringList& names = sheet_.figure.x.categories;
  std::vector<Shared> groups;
  QString before;
  for (qsizetype i = 0; i < names.size(); ++i) {
    const QStringList parts = names[i].split('\n');
    if (parts.size() != 2) return {};
    if (groups.empty() || parts[1] != before) groups.push_back({i, 0, {}});
    ++groups.back().count;
    before = parts[1];
  }
  if (std::ssize(groups) == names.size()) return {};
  constexpr qsizetype kMostLines = 4;
  for (Shared& group : groups)
    group.lines = wrapped(names[group.first].split('\n')[1], step * static_cast<double>(group.count) - 6,
                          kMostLines, QFontMetricsF(sheet_.font));
  return groups;
}

double BarNames::widestFirstLine() const {
  double widest = 0;
  for (const QString& name : sheet_.figure.x.categories)
    widest = std::max(widest, sheet_.width(firstLine(name)));
  return widest;
}

/// Of upright names of parts, and below them what each group of parts is of.
double BarNames::sharedHeight() const {
  qsizetype lines = 0;
  for (const Shared& group : shared_) lines = std::max(lines, group.lines.size());
  return widestFirstLine() + 8 + static_cast<double>(lines) * sheet_.line;
}

void BarNames::paintShared(const Plot& plot, double step) {
  const QStringList& names = sheet_.figure.x.categories;
  const double line = sheet_.line;
  for (qsizetype i = 0; i < names.size(); ++i)
    sheet_.uprightWords(plot.box.left() + (static_cast<double>(i) + 0.5) * step, plot.box.bottom() + 4,
                        firstLine(names[i]), QColor(sheet_.colors.textWeak), Qt::AlignRight);
  const double top = plot.box.bottom() + widestFirstLine() + 8;
  for (const Shared& group : shared_) {
    const double left = plot.box.left() + static_cast<double>(group.first) * step;
    const double wide = static_cast<double>(group.count) * step;
    sheet_.painter.setPen(QPen(QColor(sheet_.colors.grid), 1));
    if (group.first > 0) {
      const double bottom = top + static_cast<double>(group.lines.size()) * line;
      sheet_.painter.drawLine(QPointF(left, plot.box.top()), QPointF(left, bottom));
    }
    for (qsizetype row = 0; row < group.lines.size(); ++row)
      sheet_.words(QRectF(left + 3, top + static_cast<double>(row) * line, wide - 6, line), group.lines[row],
                   QColor(sheet_.colors.text), Qt::AlignHCenter | Qt::AlignTop);
  }
}

/// In as many lines as there is room for beside each other; without what the names of all begin with.
void BarNames::paintUpright(const Plot& plot, double step) {
  const QStringList& names = sheet_.figure.x.categories;
  const bool same = names.size() > 1 && std::ranges::all_of(names, [&](const QString& name) {
                      return name.contains('\n') && firstLine(name) == firstLine(names.front());
                    });
  const auto most = std::max<qsizetype>(1, static_cast<qsizetype>((step - 4) / sheet_.line));
  for (qsizetype i = 0; i < names.size(); ++i) {
    const double middle = plot.box.left() + (double(i) + 0.5) * step;
    const QString name = same ? names[i].section('\n', 1) : names[i];
    const QStringList lines = wrapped(onOneLine(name), height_ - 3, most, QFontMetricsF(sheet_.font));
    for (qsizetype line = 0; line < lines.size(); ++line)
      sheet_.uprightWords(
          middle + (static_cast<double>(line) - static_cast<double>(lines.size() - 1) / 2) * sheet_.line,
          plot.box.bottom() + 4, lines[line], QColor(sheet_.colors.textWeak), Qt::AlignRight);
  }
}

void BarNames::paintLevel(const Plot& plot, double step) {
  constexpr double kShortest = 40;
  const QStringList& names = sheet_.figure.x.categories;
  const auto stride = twoLines_ ? 1 : nameStep(kShortest / step);
  const double room = static_cast<double>(stride) * step - 4;
  for (qsizetype i = 0; i < names.size(); i += stride) {
    const double middle = plot.box.left() + (double(i) + 0.5) * step;
    const QStringList parts = (twoLines_ ? inTwoLines(names[i], room) : names[i]).split('\n');
    for (qsizetype row = 0; row < parts.size(); ++row)
      sheet_.words(QRectF(middle - room / 2, plot.box.bottom() + 2 + double(row) * sheet_.line * 0.95, room,
                          sheet_.line),
                   QFontMetricsF(sheet_.font).elidedText(parts[row], Qt::ElideRight, room),
                   QColor(sheet_.colors.textWeak), Qt::AlignHCenter | Qt::AlignTop);
  }
}

}  // namespace halo
