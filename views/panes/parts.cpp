// The parts of the chips, or of the shown run where nothing is compared. There is a table, bars rank by rank,
// and the time of exchanges over halo rows. Choosing a part chooses its rank's lanes in the timeline, and the
// reverse.
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

#include "engine/base/index.h"
#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"
#include "views/scene/parts_model.h"
#include "views/view_registry.h"
#include "views/widgets/lone_scene.h"
#include "views/widgets/show_choice.h"

namespace halo {
namespace {

struct Part {
  std::size_t chip = 0;  // place among SceneData::chips
  std::int64_t rank = 0;
};

class PartsView : public QWidget {
 public:
  explicit PartsView(Session& session) : session_(session), scene_(session, *this) {
    sorted_.setSourceModel(&model_);
    sorted_.setSortRole(Qt::EditRole);
    makeTable();
    makeFigures();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 0);
    layout->addWidget(splitter_);
    connect(&scene_, &LoneScene::changed, this, [this] { draw(); });
    connect(&session_.sceneLanes(), &SceneLanes::changed, this, [this] { takeLane(); });
    connect(&session_.window(), &TimeWindow::laneChanged, this, [this] { takeLane(); });
    draw();
  }

 protected:
  void showEvent(QShowEvent* event) override {
    QWidget::showEvent(event);
    scene_.ask();
  }

 private:
  void makeTable() {
    table_->setModel(&sorted_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(PartsModel::ChipColumn, Qt::AscendingOrder);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setShowGrid(false);
    table_->setAlternatingRowColors(true);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 6);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->setAccessibleName("Parts");
    splitter_->addWidget(table_);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
              if (row.isValid() && !following_) choose(partAt(row));
            });
  }

  void makeFigures() {
    show_->setAccessibleName("What bars show of every rank");
    auto* label = new QLabel("Bars sho&w");
    label->setBuddy(show_);
    auto* column = new QWidget;
    auto* line = new QHBoxLayout;
    line->addWidget(label);
    line->addWidget(show_);
    line->addStretch(1);
    auto* rows = new QVBoxLayout(column);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->addLayout(line);
    rows->addWidget(bars_, 1);
    choice_ = label;
    splitter_->addWidget(column);
    splitter_->addWidget(fit_);
    splitter_->setChildrenCollapsible(false);
    splitter_->setSizes({460, 380, 380});
    for (int i = 0; i < splitter_->count(); ++i) splitter_->setStretchFactor(i, 1);
    connect(show_, &QComboBox::currentIndexChanged, this, [this] { drawFigures(); });
    connect(bars_, &FigureView::pointChosen, this, [this](int series, int place) {
      if (const auto chip = chipOf(bars_->figure(), series)) choose({*chip, place});
    });
    connect(fit_, &FigureView::pointChosen, this,
            [this](int series, int place) { choosePoint(series, place); });
  }

  bool compares() const { return scene_.compares(); }
  const SceneData* scene() const { return scene_.scene(); }

  void draw() {
    {
      const QScopedValueRollback quiet(following_, true);
      scene() == nullptr ? model_.setScene({}) : model_.setScene(*scene());
    }
    const bool any = model_.rowCount() > 0;
    for (QWidget* each : std::initializer_list<QWidget*>{table_, fit_, show_, choice_}) each->setVisible(any);
    chosen_ = partOfLane();
    showChosen();
  }

  void drawFigures() {
    const std::int64_t run = session_.run().run.id;
    if (scene() == nullptr && run != 0 && !compares()) {
      bars_->setFigure(nothingYet("Parts", run));
      return;
    }
    const FigureInput input{session_.runs().runs(), {}, {}, scene()};
    bars_->setFigure(
        makeFigure("part-bars", input, {{"show", show_->currentData().toString().toStdString()}}));
    Figure fit = makeFigure("part-fit", input);
    ring(fit);
    fit_->setFigure(std::move(fit));
  }

  Part partAt(const QModelIndex& row) const {
    const PartsModel::Row& part = model_.rows()[at(sorted_.mapToSource(row).row())];
    return {part.chip, part.rank};
  }

  /// Where nothing is compared, the shown run is the only one.
  std::optional<std::int32_t> blockOf(std::size_t chip) const {
    return compares() ? session_.sceneLanes().blockOf(chip) : std::optional<std::int32_t>(0);
  }
  std::optional<Part> partOfLane() const {
    const std::optional<LaneChoice> lane = session_.window().lane();
    if (!lane) return std::nullopt;
    if (!compares()) return lane->block == 0 ? std::optional(Part{0, lane->rank}) : std::nullopt;
    const auto chip = session_.sceneLanes().chipOf(lane->block);
    return chip ? std::optional(Part{*chip, lane->rank}) : std::nullopt;
  }

  /// One whose run is not in the timeline is chosen here alone.
  void choose(const Part& part) {
    const QScopedValueRollback own(choosing_, true);
    chosen_ = part;
    const auto block = blockOf(part.chip);
    session_.window().chooseLane(block ? std::optional(LaneChoice{*block, part.rank}) : std::nullopt);
    showChosen();
  }

  void takeLane() {
    if (choosing_ || !isVisible()) return;
    chosen_ = partOfLane();
    showChosen();
  }

  void showChosen() {
    const int row = chosen_ ? model_.rowOf(chosen_->chip, chosen_->rank) : -1;
    const QScopedValueRollback quiet(following_, true);
    if (row >= 0) {
      const QModelIndex at = sorted_.mapFromSource(model_.index(row, 0));
      if (table_->currentIndex().row() != at.row()) table_->setCurrentIndex(at);
      table_->selectRow(at.row());
    } else {
      table_->clearSelection();
      table_->setCurrentIndex({});
    }
    drawFigures();
  }

  std::optional<std::size_t> chipOf(const Figure& figure, int series) const {
    const std::optional<int> color = figure.series[at(series)].color;
    for (std::size_t chip = 0; scene() != nullptr && chip < scene()->chips.size(); ++chip)
      if (color == scene()->chips[chip].chip.color) return chip;
    return std::nullopt;
  }

  static bool isDrawn(const PartFigures& part) {
    return std::isfinite(part.haloRows) && std::isfinite(part.exchangeNs);
  }
  const PartTable* tableOf(std::size_t chip) const {
    if (scene() == nullptr) return nullptr;
    const auto compared = std::ranges::find(scene()->compared, chip);
    const auto place = at(compared - scene()->compared.begin());
    return place < scene()->comparison.parts.size() ? &scene()->comparison.parts[place] : nullptr;
  }

  void choosePoint(int series, int place) {
    const auto chip = chipOf(fit_->figure(), series);
    const PartTable* table = chip ? tableOf(*chip) : nullptr;
    if (table == nullptr) return;
    for (const PartsOfRun& run : table->runs)
      for (std::size_t rank = 0; rank < run.parts.size(); ++rank)
        if (isDrawn(run.parts[rank]) && place-- == 0) return choose({*chip, static_cast<std::int64_t>(rank)});
  }

  /// Around the chosen part, of the run whose lanes the timeline has.
  void ring(Figure& figure) const {
    const PartTable* table = chosen_ ? tableOf(chosen_->chip) : nullptr;
    if (table == nullptr || table->runs.empty() || figure.series.empty()) return;
    const auto match = std::ranges::find(table->runs, session_.run().run.id, &PartsOfRun::run);
    const PartsOfRun& run = match == table->runs.end() ? table->runs.front() : *match;
    const auto rank = at(chosen_->rank);
    if (rank >= run.parts.size() || !isDrawn(run.parts[rank])) return;
    std::size_t place = 0;
    for (std::size_t i = 0; i < rank; ++i) place += isDrawn(run.parts[i]) ? 1U : 0U;
    for (const PartsOfRun& before : table->runs) {
      if (&before == &run) break;
      for (const PartFigures& each : before.parts) place += isDrawn(each) ? 1U : 0U;
    }
    for (std::size_t s = 0; s < figure.series.size(); ++s)
      if (const FigureSeries& points = figure.series[s];
          !points.joined && chipOf(figure, static_cast<int>(s)) == chosen_->chip && place < points.x.size())
        figure.notes.push_back(
            {points.x[place], QString("rank %1").arg(chosen_->rank), points.y[place], /*ring=*/true});
  }

  Session& session_;
  LoneScene scene_;
  PartsModel model_;
  QSortFilterProxyModel sorted_;
  QSplitter* splitter_ = new QSplitter;
  QTableView* table_ = new QTableView;
  QComboBox* show_ = showChoice("part-bars");
  QWidget* choice_ = nullptr;  // its label
  FigureView *bars_ = new FigureView, *fit_ = new FigureView;
  std::optional<Part> chosen_;
  bool following_ = false;  // the table's choice comes from elsewhere
  bool choosing_ = false;   // that of the timeline comes from here
};

QWidget* make(Session& session) { return new PartsView(session); }

const Registered<ViewEntry> self{
    {{"Parts", "what every rank holds and does: a table, bars, halo rows and their exchange", ""},
     "Parts",
     ViewArea::centre,
     27,
     {Perspective::observe, Perspective::decide},
     {},
     make}};

}  // namespace
}  // namespace halo
