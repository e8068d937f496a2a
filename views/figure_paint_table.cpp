#include <algorithm>
#include <cmath>
#include <set>

#include "views/figure_painter.h"

namespace halo {
namespace {

constexpr double kBetween[] = {14, 9, 6};  // columns; the widest that lets all stand side by side
constexpr double kMostCell = 0.4;          // of the width; more where cells are not told apart by it
constexpr double kWidestCell = 0.8;
constexpr int kMostHeadLines = 3;

bool looksNumeric(const QString& cell) {
  return cell.isEmpty() || cell[0].isDigit() || cell[0] == QChar(0x2212) || cell[0] == '-' ||
         cell[0] == '<' || cell == QStringLiteral("–");
}

QString counted(std::size_t count, const char* what) {
  return QString("%1 %2%3").arg(count).arg(what, count == 1 ? "" : "s");
}

}  // namespace

int FigurePainter::headLines(const Column& column) const {
  const QFontMetricsF metrics(font_);
  const QRectF box = metrics.boundingRect(QRectF(0, 0, column.width - between_ + 1, 1e4), Qt::TextWordWrap,
                                          figure_.table.columns.value(column.index));
  return std::max(1, static_cast<int>(std::lround(box.height() / metrics.lineSpacing())));
}

/// How wide a cell may be: as little as tells those of its column apart that are not the same.
double FigurePainter::mostCell(qsizetype column) const {
  std::set<QString> whole;
  for (const QStringList& row : figure_.table.rows) whole.insert(row.value(column));
  const QFontMetricsF metrics(font_);
  double share = kMostCell;
  for (; share < kWidestCell; share += 0.05) {
    std::set<QString> cut;
    for (const QString& cell : whole)
      cut.insert(metrics.elidedText(cell, Qt::ElideMiddle, share * area_.width()));
    if (cut.size() == whole.size()) break;
  }
  return share * area_.width();
}

/// Each column as wide as its cells and its head broken into a few lines ask for: no head is cut.
std::vector<FigurePainter::Column> FigurePainter::measured() const {
  const FigureTable& table = figure_.table;
  std::vector<Column> columns;
  for (qsizetype i = 0; i < table.columns.size(); ++i) {
    const auto c = table.shown.empty() ? i : table.shown[static_cast<std::size_t>(i)];
    if (!table.shown.empty() && static_cast<std::size_t>(i + 1) > table.shown.size()) break;
    Column column{c, 0, 0, true};
    for (const QStringList& row : table.rows) {
      column.width = std::max(column.width, width(row.value(c)));
      column.number = column.number && looksNumeric(row.value(c));
    }
    column.whole = column.width + between_;
    column.width = std::min(column.width, mostCell(c));
    for (const QString& word : table.columns[c].split(' '))
      column.width = std::max(column.width, width(word));
    column.width += between_;
    while (headLines(column) > kMostHeadLines) column.width += between_;
    columns.push_back(column);
  }
  return columns;
}

/// As many columns side by side as fit; those that do not stand in further blocks, beginning with the key
/// columns again.
std::vector<FigurePainter::Block> FigurePainter::blocksOf(const std::vector<Column>& columns) const {
  const std::size_t keys = std::min(figure_.table.keys, columns.size());
  std::vector<Block> blocks;
  double used = 1e300;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (used + columns[c].width > area_.width() + between_ &&
        (blocks.empty() || blocks.back().columns.size() > keys)) {
      blocks.emplace_back();
      used = 0;
      for (std::size_t k = 0; k < std::min(keys, c); ++k) {
        blocks.back().columns.push_back(columns[k]);
        used += columns[k].width;
      }
    }
    blocks.back().columns.push_back(columns[c]);
    used += columns[c].width;
  }
  for (Block& block : blocks)
    for (const Column& column : block.columns) block.headLines = std::max(block.headLines, headLines(column));
  return blocks;
}

/// What is free beside the blocks that are shown goes to key columns whose cells are cut.
void FigurePainter::widenKeys(std::vector<Block>& blocks, std::size_t shown) const {
  const std::size_t keys = std::min(figure_.table.keys, blocks[0].columns.size());
  for (std::size_t k = 0; k < keys; ++k) {
    double more = blocks[0].columns[k].whole - blocks[0].columns[k].width;
    for (std::size_t b = 0; b < shown; ++b) {
      double used = 0;
      for (const Column& column : blocks[b].columns) used += column.width;
      more = std::min(more, area_.width() + between_ - used);
    }
    if (more <= 0) continue;
    for (std::size_t b = 0; b < shown; ++b)
      if (k < blocks[b].columns.size()) blocks[b].columns[k].width += more;
  }
}

double FigurePainter::drawBlock(const Block& block, double top, std::size_t rows) {
  const FigureTable& table = figure_.table;
  const double head = block.headLines * QFontMetricsF(font_).lineSpacing() + 4;
  double x = area_.left();
  for (const Column& column : block.columns) {
    const double wide = column.width - between_;
    const auto side = column.number ? Qt::AlignRight : Qt::AlignLeft;
    words(QRectF(x, top, wide + 1, head), table.columns[column.index], QColor(colors_.text),
          side | Qt::AlignBottom | Qt::TextWordWrap);
    for (std::size_t r = 0; r < rows; ++r)
      words(QRectF(x, top + head + static_cast<double>(r) * line_ + 3, wide + 1, line_),
            QFontMetricsF(font_).elidedText(table.rows[r].value(column.index), Qt::ElideMiddle, wide + 1),
            QColor(colors_.text), side | Qt::AlignVCenter);
    x += column.width;
  }
  p_.setPen(QPen(QColor(colors_.text), 1));
  p_.drawLine(QPointF(area_.left(), top + head + 1),
              QPointF(std::min(x - between_, area_.right()), top + head + 1));
  return top + head + 3 + static_cast<double>(rows) * line_;
}

/// All columns side by side if a narrower gap lets them stand so.
std::vector<FigurePainter::Block> FigurePainter::fittingBlocks() {
  for (const double between : kBetween) {
    between_ = between;
    if (std::vector<Block> blocks = blocksOf(measured()); blocks.size() == 1) return blocks;
  }
  between_ = kBetween[0];
  return blocksOf(measured());
}

double FigurePainter::noteHeight() const {
  if (figure_.table.note.isEmpty()) return 0;
  return QFontMetricsF(font_)
             .boundingRect(QRectF(0, 0, area_.width(), 1e4), Qt::TextWordWrap, figure_.table.note)
             .height() +
         4;
}

double FigurePainter::blockHeight(const Block& block, std::size_t rows) const {
  return block.headLines * QFontMetricsF(font_).lineSpacing() + 7 + static_cast<double>(rows) * line_;
}

/// With title, note and the line below.
double FigurePainter::tableHeight() {
  paintHeader();
  if (style_.footer) footer();
  double needed = style_.size.height() - area_.height() + noteHeight() + line_ + 1;
  for (const Block& block : fittingBlocks()) needed += blockHeight(block, figure_.table.rows.size()) + line_;
  return needed;
}

void FigurePainter::table() {
  const FigureTable& table = figure_.table;
  std::vector<Block> blocks = fittingBlocks();
  const double note = noteHeight();
  const double room = area_.height() - note - line_;  // the last line says what is left out
  std::size_t shown = 0;
  double used = 0;
  for (; shown < blocks.size(); ++shown) {
    const double more = blockHeight(blocks[shown], table.rows.size()) + (shown > 0 ? line_ : 0);
    if (used + more > room) break;
    used += more;
  }
  std::size_t rows = table.rows.size();
  if (shown == 0) {
    shown = 1;
    const double fit = (room - blockHeight(blocks[0], 0)) / line_;
    rows = std::min(rows, static_cast<std::size_t>(std::max(1.0, fit)));
  }
  widenKeys(blocks, shown);
  double top = area_.top();
  for (std::size_t b = 0; b < shown; ++b) top = drawBlock(blocks[b], top, rows) + line_;
  top -= line_ - 4;
  if (note > 0) {
    words(QRectF(area_.left(), top, area_.width(), note), table.note, QColor(colors_.textWeak),
          Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap);
    top += note;
  }
  QStringList left;
  if (rows < table.rows.size()) left << counted(table.rows.size() - rows, "more row");
  std::size_t columns = 0;
  for (std::size_t b = shown; b < blocks.size(); ++b)
    columns += blocks[b].columns.size() - std::min(table.keys, blocks[b].columns.size());
  if (columns > 0) left << counted(columns, "more column");
  if (!left.isEmpty())
    words(QRectF(area_.left(), top, area_.width(), line_),
          QString("… and %1; the CSV form has all").arg(left.join(" and ")), QColor(colors_.textWeak),
          Qt::AlignLeft | Qt::AlignVCenter);
}

}  // namespace halo
