#include "app/window/key_overlay.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "views/timeline/timeline_actions.h"

namespace halo {

namespace {

QString keysText(const QList<QKeySequence>& keys) {
  QStringList words;
  for (const QKeySequence& key : keys) words << key.toString(QKeySequence::NativeText);
  return words.join("  or  ");
}

constexpr const char* kMouse[][2] = {
    {"Wheel", "scroll lanes"},
    {"Ctrl + wheel", "zoom at the pointer"},
    {"Shift + wheel", "pan"},
    {"Drag on lanes", "select an area; its statistics follow"},
    {"Drag on the ruler, or with the middle button", "zoom to the range"},
    {"Drag with the right button", "pan"},
    {"Shift + drag", "measure without selecting"},
    {"Click, double click", "select a span, zoom to it"},
    {"Right click, or the menu key", "what can be done with the span there or the selection"},
};

}  // namespace

KeyOverlay::KeyOverlay(const QList<QAction*>& actions, QWidget* parent) : QDialog(parent) {
  setWindowTitle("Keys");
  auto* tree = new QTreeWidget;
  tree->setHeaderLabels({"Key", "What it does"});
  tree->setRootIsDecorated(false);
  tree->setAlternatingRowColors(true);
  const auto group = [tree](const char* title) {
    auto* item = new QTreeWidgetItem(tree, {title});
    QFont bold = tree->font();
    bold.setBold(true);
    item->setFont(0, bold);
    item->setFlags(Qt::ItemIsEnabled);
    return item;
  };
  auto* window = group("Window");
  for (const QAction* action : actions)
    if (!action->shortcut().isEmpty())
      new QTreeWidgetItem(window, {keysText(action->shortcuts()), action->text().remove('&')});
  auto* timeline = group("Timeline");
  for (const TimelineActionInfo& info : timelineActions())
    new QTreeWidgetItem(timeline, {keysText(info.keys), info.text});
  auto* mouse = group("Mouse on the timeline");
  for (const auto& [gesture, does] : kMouse) new QTreeWidgetItem(mouse, {gesture, does});
  tree->expandAll();
  tree->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(tree);
  layout->addWidget(buttons);
  resize(640, 620);
}

}  // namespace halo
