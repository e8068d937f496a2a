#pragma once

#include <QPainter>
#include <functional>
#include <optional>
#include <span>

#include "views/figure/figure_paint.h"
#include "views/figure/figure_scale.h"
#include "views/look/axis.h"

namespace halo {

/// Draws one figure; used by figure_paint*.cpp alone. Frame, legend and marks of the kinds in
/// figure_paint.cpp, axes, curves and stacks in figure_paint_chart.cpp, points and groups in
/// figure_paint_points.cpp, names that groups share in figure_paint_names.cpp, heat maps, lanes and rows of
/// points in figure_paint_rows.cpp, matrices in figure_paint_matrices.cpp, tables in figure_paint_table.cpp.
class FigurePainter {
 public:
  FigurePainter(QPainter& painter, const Figure& figure, const FigureStyle& style, FigureHits* hits);
  void paint();
  double paintHeader();
  double rowsHeight();
  double tableHeight();

 private:
  double width(const QString& text) const;
  void words(const QRectF& where, const QString& text, const QColor& color, int flags);
  void header();
  void footer();

  void hatch(const QRectF& box, const QColor& color);
  void bar(const QRectF& box, const FigureSeries& series, const QColor& color);
  void cue(const QRectF& box, Kind kind);
  void legend();
  void kindLegend();

  void barRanges();
  void ranges();
  bool isDrawn(double x, double y) const;
  void chart();
  QString axisWords(const FigureAxis& axis, double room) const;
  void axisTitles();
  std::vector<Tick> ticksOfX() const;
  void xTicks();
  void curves();
  void curve(std::size_t number, std::vector<double> x, std::vector<double> y);
  void curveBand(const FigureSeries& series, const QColor& color);
  void noteAcross(const FigureNote& note);
  void categories(double step, double left);
  void stacks();
  void mark(QPointF at, const FigureSeries& series, const QColor& color);
  void points();
  void seriesPoints();
  void addSegment(QPointF from, QPointF to);
  std::optional<QRectF> placeBeside(QPointF at, QSizeF size, bool offLines) const;
  void notes();
  void noteWords();
  void listNotes(const QStringList& listed);
  QString inTwoLines(const QString& name, double room) const;
  double namesHeight();
  void groupNames(double step);
  /// Categories that follow each other with the same second line.
  struct NameGroup {
    qsizetype first = 0, count = 0;
    QStringList lines;  // of what they share
  };
  std::vector<NameGroup> nameGroups(double step) const;
  double sharedNamesHeight(double step);
  void sharedNames(double step);
  void uprightName(qsizetype category, double middle, double step);
  /// One line that reads upwards: from `top` on, or with Qt::AlignRight up to it.
  void uprightWords(double middle, double top, const QString& text, const QColor& color, Qt::Alignment end);
  void groups();

  QString rowName(qsizetype row) const;  // with its sign
  double rows(double right, double namesShare = 1.0 / 3);
  void rowPoints();
  void rowRanges();
  void rowBands(std::size_t number);
  void heatMap();
  void heatLegend(double high);
  void matrices();
  QRectF matrixPlot(const FigureMatrix& matrix, const QRectF& panel);
  void matrixCells(const FigureMatrix& matrix, const QRectF& plot,
                   const std::function<QColor(double)>& colorOf);
  QRectF laneBox(const FigureBox& box, double step) const;
  void laneWaits(double step);
  void laneWork(double step, bool part);
  void lanes();

  struct Column {
    qsizetype index = 0;
    double width = 0, whole = 0;  // `whole`: that no cell of it is cut
    bool number = false;          // stands at the right
  };
  /// Columns that stand side by side, and the lines their heads take.
  struct Block {
    std::vector<Column> columns;
    int headLines = 1;
  };
  void table();
  double mostCell(qsizetype column) const;
  std::vector<Column> measured() const;
  int headLines(const Column& column) const;
  std::vector<Block> blocksOf(const std::vector<Column>& columns) const;
  std::vector<Block> fittingBlocks();
  double noteHeight() const;
  double blockHeight(const Block& block, std::size_t rows) const;
  std::span<const QStringList> drawnRows() const;
  std::vector<Block> blocksThatFit(double room);
  void fillGaps(std::vector<Block>& blocks, std::size_t shown) const;
  void widenKeys(std::vector<Block>& blocks) const;
  double drawBlock(const Block& block, double top);

  QPainter& p_;
  const Figure& figure_;
  const FigureStyle& style_;
  const Palette& colors_;
  FigureHits* hits_;  // may be null
  QFont font_;
  double line_;
  double between_ = 0;                      // columns of a table
  std::size_t rows_ = SIZE_MAX, left_ = 0;  // of a table: most rows that are drawn; columns that are not
  QRectF area_, plot_;
  bool upright_ = false, twoLines_ = false;  // names of groups; of stacks
  std::vector<NameGroup> shared_;            // below the names of their parts; empty: names stand alone
  FigureScale x_, y_;
  std::vector<QRectF> taken_, lines_;  // by marks and words of points; by lines through them
};

/// Every how many names stand along an axis where names `needed` apart would just not touch: a round number,
/// and never one that would pick lanes of two sorts in turn.
qsizetype nameStep(double needed);
/// The parts of a name, which has a line each, on one.
QString onOneLine(QString name);

}  // namespace halo
