// Columns of words and numbers, in as many blocks side by side as there is room for.
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "engine/base/index.h"
#include "views/figure/figure_form.h"

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

QString counted(std::size_t count, const char* noun) {
  return QString("%1 %2%3").arg(count).arg(noun, count == 1 ? "" : "s");
}

class TablePainter {
 public:
  explicit TablePainter(FigureSheet& sheet) : sheet_(sheet) {}
  void paint();
  double neededHeight();

 private:
  struct Column {
    qsizetype index = 0;
    double width = 0, uncutWidth = 0;  // `uncutWidth`: that no cell of it is cut
    bool number = false;               // stands at the right
  };
  /// Columns that stand side by side, and the lines their heads take.
  struct Block {
    std::vector<Column> columns;
    int headLines = 1;
  };
  double mostCell(qsizetype column) const;
  std::vector<Column> measured() const;
  int headLines(const Column& column) const;
  std::vector<Block> blocksOf(const std::vector<Column>& columns) const;
  std::vector<Block> fittingBlocks();
  double noteHeight() const;
  double blockHeight(const Block& block, std::size_t rows) const;
  std::span<const QStringList> drawnRows() const;
  std::vector<Block> blocksThatFit(double room);
  void fillGaps(std::vector<Block>& blocks, std::size_t visibleCount) const;
  void widenKeys(std::vector<Block>& blocks) const;
  double drawBlock(const Block& block, double top);
  void tellLeftOut(double top);

  FigureSheet& sheet_;
  double between_ = 0;           // columns
  std::size_t most_ = SIZE_MAX;  // rows that are drawn
  std::size_t left_ = 0;         // columns that are not
};

int TablePainter::headLines(const Column& column) const {
  const QFontMetricsF metrics(sheet_.font);
  const QRectF box = metrics.boundingRect(QRectF(0, 0, column.width - between_ + 1, 1e4), Qt::TextWordWrap,
                                          sheet_.figure.table.columns.value(column.index));
  return std::max(1, static_cast<int>(std::lround(box.height() / metrics.lineSpacing())));
}

/// The rows that are drawn: no other decides how wide a column is.
std::span<const QStringList> TablePainter::drawnRows() const {
  return std::span(sheet_.figure.table.rows).first(std::min(most_, sheet_.figure.table.rows.size()));
}

/// How wide a cell may be: as little as tells those of its column apart that are not the same.
double TablePainter::mostCell(qsizetype column) const {
  std::set<QString> wholeColumns;
  for (const QStringList& row : drawnRows()) wholeColumns.insert(row.value(column));
  const QFontMetricsF metrics(sheet_.font);
  double share = kMostCell;
  for (; share < kWidestCell; share += 0.05) {
    std::set<QString> cut;
    for (const QString& cell : wholeColumns)
      cut.insert(metrics.elidedText(cell, Qt::ElideMiddle, share * sheet_.area.width()));
    if (cut.size() == wholeColumns.size()) break;
  }
  return share * sheet_.area.width();
}

/// Each column as wide as its cells and its head broken into a few lines ask for: no head is cut.
std::vector<TablePainter::Column> TablePainter::measured() const {
  const FigureTable& table = sheet_.figure.table;
  std::vector<Column> columns;
  for (qsizetype i = 0; i < table.columns.size(); ++i) {
    const auto c = table.shown.empty() ? i : table.shown[at(i)];
    if (!table.shown.empty() && at(i + 1) > table.shown.size()) break;
    Column column{c, 0, 0, true};
    for (const QStringList& row : drawnRows()) {
      column.width = std::max(column.width, sheet_.width(row.value(c)));
      column.number = column.number && looksNumeric(row.value(c));
    }
    column.uncutWidth = column.width + between_;
    column.width = std::min(column.width, mostCell(c));
    for (const QString& word : table.columns[c].split(' '))
      column.width = std::max(column.width, sheet_.width(word));
    column.width += between_;
    while (headLines(column) > kMostHeadLines) column.width += between_;
    columns.push_back(column);
  }
  return columns;
}

/// As many columns side by side as fit; those that do not stand in further blocks, beginning with the key
/// columns again.
std::vector<TablePainter::Block> TablePainter::blocksOf(const std::vector<Column>& columns) const {
  const std::size_t keys = std::min(sheet_.figure.table.keys, columns.size());
  std::vector<Block> blocks;
  double used = 1e300;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (used + columns[c].width > sheet_.area.width() + between_ &&
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
void TablePainter::fillGaps(std::vector<Block>& blocks, std::size_t visibleCount) const {
  const std::size_t keys = sheet_.figure.table.keys;
  for (std::size_t b = 0; b < visibleCount; ++b) {
    Block& block = blocks[b];
    double used = 0;
    for (const Column& column : block.columns) used += column.width;
    for (std::size_t from = visibleCount; from < blocks.size(); ++from) {
      std::vector<Column>& columns = blocks[from].columns;
      for (std::size_t c = std::min(keys, columns.size()); c < columns.size();) {
        if (used + columns[c].width > sheet_.area.width() + between_ ||
            headLines(columns[c]) > block.headLines) {
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
void TablePainter::widenKeys(std::vector<Block>& blocks) const {
  const std::size_t keys = std::min(sheet_.figure.table.keys, blocks[0].columns.size());
  for (std::size_t k = 0; k < keys; ++k) {
    double more = blocks[0].columns[k].uncutWidth - blocks[0].columns[k].width;
    for (const Block& block : blocks) {
      double used = 0;
      for (const Column& column : block.columns) used += column.width;
      more = std::min(more, sheet_.area.width() + between_ - used);
    }
    if (more <= 0) continue;
    for (Block& block : blocks)
      if (k < block.columns.size()) block.columns[k].width += more;
  }
}

double TablePainter::drawBlock(const Block& block, double top) {
  const FigureTable& table = sheet_.figure.table;
  const double head = block.headLines * QFontMetricsF(sheet_.font).lineSpacing() + 4;
  double x = sheet_.area.left();
  for (const Column& column : block.columns) {
    const double wide = column.width - between_;
    const int side = column.number ? Qt::AlignRight : Qt::AlignLeft;
    sheet_.words(QRectF(x, top, wide + 1, head), table.columns[column.index], QColor(sheet_.colors.text),
                 side | Qt::AlignBottom | Qt::TextWordWrap);
    for (std::size_t r = 0; r < drawnRows().size(); ++r)
      sheet_.words(QRectF(x, top + head + static_cast<double>(r) * sheet_.line + 3, wide + 1, sheet_.line),
                   QFontMetricsF(sheet_.font)
                       .elidedText(drawnRows()[r].value(column.index), Qt::ElideMiddle, wide + 1),
                   QColor(sheet_.colors.text), side | Qt::AlignVCenter);
    x += column.width;
  }
  for (std::size_t r = 0; sheet_.hits != nullptr && r < drawnRows().size(); ++r)
    sheet_.hits->push_back({QRectF(sheet_.area.left(), top + head + static_cast<double>(r) * sheet_.line + 3,
                                   x - sheet_.area.left(), sheet_.line),
                            0, r});
  sheet_.painter.setPen(QPen(QColor(sheet_.colors.text), 1));
  sheet_.painter.drawLine(QPointF(sheet_.area.left(), top + head + 1),
                          QPointF(std::min(x - between_, sheet_.area.right()), top + head + 1));
  return top + head + 3 + static_cast<double>(drawnRows().size()) * sheet_.line;
}

/// All columns side by side if a narrower gap lets them stand so.
std::vector<TablePainter::Block> TablePainter::fittingBlocks() {
  for (const double between : kBetween) {
    between_ = between;
    if (std::vector<Block> blocks = blocksOf(measured()); blocks.size() == 1) return blocks;
  }
  between_ = kBetween[0];
  return blocksOf(measured());
}

double TablePainter::noteHeight() const {
  if (sheet_.figure.table.note.isEmpty()) return 0;
  return QFontMetricsF(sheet_.font)
             .boundingRect(QRectF(0, 0, sheet_.area.width(), 1e4), Qt::TextWordWrap, sheet_.figure.table.note)
             .height() +
         4;
}

double TablePainter::blockHeight(const Block& block, std::size_t rows) const {
  return block.headLines * QFontMetricsF(sheet_.font).lineSpacing() + 7 +
         static_cast<double>(rows) * sheet_.line;
}

/// With title, note and the line below.
double TablePainter::neededHeight() {
  sheet_.paintHeader();
  sheet_.paintFooter();
  double needed = sheet_.style.size.height() - sheet_.area.height() + noteHeight() + sheet_.line + 1;
  for (const Block& block : fittingBlocks())
    needed += blockHeight(block, sheet_.figure.table.rows.size()) + sheet_.line;
  return needed;
}

/// The blocks of all rows that have room, at least the first; of that as many rows as have.
std::vector<TablePainter::Block> TablePainter::blocksThatFit(double room) {
  const std::size_t all = sheet_.figure.table.rows.size();
  std::vector<Block> blocks = fittingBlocks();
  std::size_t visibleCount = 0;
  double used = 0;
  for (; visibleCount < blocks.size(); ++visibleCount) {
    const double more = blockHeight(blocks[visibleCount], all) + (visibleCount > 0 ? sheet_.line : 0);
    if (used + more > room) break;
    used += more;
  }
  if (visibleCount == 0) {
    const auto cutRows = [&] {
      const double fit = (room - blockHeight(blocks[0], 0)) / sheet_.line;
      most_ = std::min(most_, static_cast<std::size_t>(std::max(1.0, fit)));
    };
    cutRows();
    blocks = fittingBlocks();  // what is left out may have been wider
    cutRows();
    visibleCount = 1;
  }
  fillGaps(blocks, visibleCount);
  left_ = 0;
  for (std::size_t b = visibleCount; b < blocks.size(); ++b)
    left_ += blocks[b].columns.size() - std::min(sheet_.figure.table.keys, blocks[b].columns.size());
  blocks.resize(visibleCount);
  return blocks;
}

void TablePainter::paint() {
  const double note = noteHeight();
  std::vector<Block> blocks =
      blocksThatFit(sheet_.area.height() - note - sheet_.line);  // the last line: what is left out
  widenKeys(blocks);
  double top = sheet_.area.top();
  for (const Block& block : blocks) top = drawBlock(block, top) + sheet_.line;
  top -= sheet_.line - 4;
  if (note > 0) {
    sheet_.words(QRectF(sheet_.area.left(), top, sheet_.area.width(), note), sheet_.figure.table.note,
                 QColor(sheet_.colors.textWeak), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap);
    top += note;
  }
  tellLeftOut(top);
}

void TablePainter::tellLeftOut(double top) {
  const std::size_t rows = sheet_.figure.table.rows.size();
  QStringList left;
  if (drawnRows().size() < rows) left << counted(rows - drawnRows().size(), "more row");
  if (left_ > 0) left << counted(left_, "more column");
  if (!left.isEmpty())
    sheet_.words(QRectF(sheet_.area.left(), top, sheet_.area.width(), sheet_.line),
                 QString("… and %1; the CSV form has all").arg(left.join(" and ")),
                 QColor(sheet_.colors.textWeak), Qt::AlignLeft | Qt::AlignVCenter);
}

void tableLines(const Figure& figure, CsvLines& out) {
  const FigureTable& table = figure.table;
  out.headings(table.headings.isEmpty() ? table.columns : table.headings);
  for (const QVariantList& row : table.values) {
    for (const QVariant& value : row) out.cell(value);
    out.end();
  }
  if (!table.headings.isEmpty()) return;
  for (const QStringList& row : table.rows) {
    for (const QString& field : row) out.text(field);
    out.end();
  }
}

QStringList describeTable(const Figure& figure) {
  return {QString("table of %1 rows: ").arg(figure.table.rows.size()) + figure.table.columns.join(", ")};
}

const Registered<FigureFormEntry> self{
    FigureFormEntry{.declaration = {"table", "columns of words and numbers", ""},
                    .form = FigureForm::table,
                    .empty = [](const Figure& figure) { return figure.table.rows.empty(); },
                    .paint = [](FigureSheet& sheet) { TablePainter(sheet).paint(); },
                    .csv = tableLines,
                    .describe = describeTable,
                    .neededHeight =
                        [](FigureSheet& sheet) {
                          const bool showsAll = sheet.figure.table.showsAllRows || sheet.style.scrolls;
                          return showsAll ? TablePainter(sheet).neededHeight() : 0;
                        }}};

}  // namespace
}  // namespace halo
