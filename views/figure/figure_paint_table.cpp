#include <algorithm>
#include <cmath>
#include <set>

#include "views/figure/figure_painter.h"

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

/// The rows that are drawn: no other decides how wide a column is.
std::span<const QStringList> FigurePainter::drawnRows() const {
  return std::span(figure_.table.rows).first(std::min(rows_, figure_.table.rows.size()));
}

/// How wide a cell may be: as little as tells those of its column apart that are not the same.
double FigurePainter::mostCell(qsizetype column) const {
  std::set<QString> whole;
  for (const QStringList& row : drawnRows()) whole.insert(row.value(column));
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
    for (const QStringList& row : drawnRows()) {
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

/// Where not all blocks have room, columns of the others fill the gaps of those that have.
void FigurePainter::fillGaps(std::vector<Block>& blocks, std::size_t shown) const {
  const std::size_t keys = figure_.table.keys;
  for (std::size_t b = 0; b < shown; ++b) {
    Block& block = blocks[b];
    double used = 0;
    for (const Column& column : block.columns) used += column.width;
    for (std::size_t from = shown; from < blocks.size(); ++from) {
      std::vector<Column>& columns = blocks[from].columns;
      for (std::size_t c = std::min(keys, columns.size()); c < columns.size();) {
        if (used + columns[c].width > area_.width() + between_ || headLines(columns[c]) > block.headLines) {
          ++c;
          continue;
        }
        used += columns[c].width;
        block.columns.push_back(columns[c]);
        columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(c));
      }
    }
  }
}

/// What is free beside the blocks that are shown goes to key columns whose cells are cut.
void FigurePainter::widenKeys(std::vector<Block>& blocks) const {
  const std::size_t keys = std::min(figure_.table.keys, blocks[0].columns.size());
  for (std::size_t k = 0; k < keys; ++k) {
    double more = blocks[0].columns[k].whole - blocks[0].columns[k].width;
    for (const Block& block : blocks) {
      double used = 0;
      for (const Column& column : block.columns) used += column.width;
      more = std::min(more, area_.width() + between_ - used);
    }
    if (more <= 0) continue;
    for (Block& block : blocks)
      if (k < block.columns.size()) block.columns[k].width += more;
  }
}

double FigurePainter::drawBlock(const Block& block, double top) {
  const FigureTable& table = figure_.table;
  const double head = block.headLines * QFontMetricsF(font_).lineSpacing() + 4;
  double x = area_.left();
  for (const Column& column : block.columns) {
    const double wide = column.width - between_;
    const auto side = column.number ? Qt::AlignRight : Qt::AlignLeft;
    words(QRectF(x, top, wide + 1, head), table.columns[column.index], QColor(colors_.text),
          side | Qt::AlignBottom | Qt::TextWordWrap);
    for (std::size_t r = 0; r < drawnRows().size(); ++r)
      words(QRectF(x, top + head + static_cast<double>(r) * line_ + 3, wide + 1, line_),
            QFontMetricsF(font_).elidedText(drawnRows()[r].value(column.index), Qt::ElideMiddle, wide + 1),
            QColor(colors_.text), side | Qt::AlignVCenter);
    x += column.width;
  }
  p_.setPen(QPen(QColor(colors_.text), 1));
  p_.drawLine(QPointF(area_.left(), top + head + 1),
              QPointF(std::min(x - between_, area_.right()), top + head + 1));
  return top + head + 3 + static_cast<double>(drawnRows().size()) * line_;
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

/// The blocks of all rows that have room, at least the first; of that as many rows as have.
std::vector<FigurePainter::Block> FigurePainter::blocksThatFit(double room) {
  const std::size_t all = figure_.table.rows.size();
  std::vector<Block> blocks = fittingBlocks();
  std::size_t shown = 0;
  double used = 0;
  for (; shown < blocks.size(); ++shown) {
    const double more = blockHeight(blocks[shown], all) + (shown > 0 ? line_ : 0);
    if (used + more > room) break;
    used += more;
  }
  if (shown == 0) {
    const auto cutRows = [&] {
      const double fit = (room - blockHeight(blocks[0], 0)) / line_;
      rows_ = std::min(rows_, static_cast<std::size_t>(std::max(1.0, fit)));
    };
    cutRows();
    blocks = fittingBlocks();  // what is left out may have been wider
    cutRows();
    shown = 1;
  }
  fillGaps(blocks, shown);
  left_ = 0;
  for (std::size_t b = shown; b < blocks.size(); ++b)
    left_ += blocks[b].columns.size() - std::min(figure_.table.keys, blocks[b].columns.size());
  blocks.resize(shown);
  return blocks;
}

void FigurePainter::table() {
  const FigureTable& table = figure_.table;
  const double note = noteHeight();
  std::vector<Block> blocks =
      blocksThatFit(area_.height() - note - line_);  // the last line: what is left out
  widenKeys(blocks);
  double top = area_.top();
  for (const Block& block : blocks) top = drawBlock(block, top) + line_;
  top -= line_ - 4;
  if (note > 0) {
    words(QRectF(area_.left(), top, area_.width(), note), table.note, QColor(colors_.textWeak),
          Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap);
    top += note;
  }
  QStringList left;
  if (drawnRows().size() < table.rows.size())
    left << counted(table.rows.size() - drawnRows().size(), "more row");
  if (left_ > 0) left << counted(left_, "more column");
  if (!left.isEmpty())
    words(QRectF(area_.left(), top, area_.width(), line_),
          QString("… and %1; the CSV form has all").arg(left.join(" and ")), QColor(colors_.textWeak),
          Qt::AlignLeft | Qt::AlignVCenter);
}

}  // namespace halo
