#include "views/timeline/timeline_actions.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <array>

namespace halo {
namespace {

/// Letter at the place of the key on a US keyboard; X11 and Wayland give the kernel's code plus 8.
int keyByPlace(const QKeyEvent& event) {
  const QString platform = QGuiApplication::platformName();
  if (platform == "xcb" || platform == "wayland") {
    switch (event.nativeScanCode()) {
      case 24:
        return Qt::Key_Q;
      case 25:
        return Qt::Key_W;
      case 26:
        return Qt::Key_E;
      case 38:
        return Qt::Key_A;
      case 39:
        return Qt::Key_S;
      case 40:
        return Qt::Key_D;
      default:
        break;
    }
  }
  return event.key();
}

}  // namespace

std::span<const TimelineActionInfo> timelineActions() {
  using A = TimelineAction;
  static const std::array<TimelineActionInfo, 32> actions = {{
      {A::zoomIn, "Zoom in", {Qt::Key_W, Qt::Key_Plus, Qt::Key_Equal}},
      {A::zoomOut, "Zoom out", {Qt::Key_S, Qt::Key_Minus}},
      {A::panLeft, "Earlier", {Qt::Key_A, Qt::Key_Left}},
      {A::panRight, "Later", {Qt::Key_D, Qt::Key_Right}},
      {A::laneUp, "Previous lane", {Qt::Key_Q, Qt::Key_Up}},
      {A::laneDown, "Next lane", {Qt::Key_E, Qt::Key_Down}},
      {A::fit, "Centre the selection, then fit it", {Qt::Key_F}},
      {A::selectArea, "Make the selection an area", {Qt::Key_R}},
      {A::clear, "Clear the selection, step by step", {Qt::Key_Escape}},
      {A::nextSpan, "Next span of the lane", {Qt::Key_Period}},
      {A::previousSpan, "Previous span of the lane", {Qt::Key_Comma}},
      {A::nextSame, "Next span of the same name", {Qt::Key_BracketRight}},
      {A::previousSame, "Previous span of the same name", {Qt::Key_BracketLeft}},
      {A::nextEpoch, "Next epoch", {Qt::Key_N}},
      {A::previousEpoch, "Previous epoch", {Qt::Key_P}},
      {A::nextPhase, "Next layer or pass of the main lane", {QKeySequence(Qt::SHIFT | Qt::Key_N)}},
      {A::previousPhase, "Previous layer or pass of the main lane", {QKeySequence(Qt::SHIFT | Qt::Key_P)}},
      {A::undoZoom, "Undo the last zoom", {Qt::Key_Backspace}},
      {A::back, "Back", {QKeySequence(Qt::ALT | Qt::Key_Left)}},
      {A::forward, "Forward", {QKeySequence(Qt::ALT | Qt::Key_Right)}},
      {A::up, "Up one level", {Qt::Key_U}},
      {A::home, "Whole run", {Qt::Key_Home}},
      {A::follow, "Follow the newest", {Qt::Key_L}},
      {A::foldAll, "Fold or unfold all ranks", {Qt::Key_C}},
      {A::openLink, "Transfers by sender, or together", {Qt::Key_O}},
      {A::foldEpochs, "Epochs laid over each other, or one after another", {Qt::Key_T}},
      {A::search, "Search spans by name", {Qt::Key_Slash}},
      {A::statistics, "Statistics by name and layer", {Qt::Key_I}},
      {A::laneOrder, "Lanes by run, rank, host, part or layer", {Qt::Key_G}},
      {A::pin, "Keep the lanes of a rank on top, or no longer", {Qt::Key_K}},
      {A::arrows, "Arrows of messages, or none", {Qt::Key_J}},
      {A::clock, "Modelled time, or that of the wall", {Qt::Key_M}},
  }};
  return actions;
}

const TimelineActionInfo* timelineActionOf(const QKeyEvent& event) {
  const int key = keyByPlace(event);
  Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
  // on many keyboards these need Shift themselves
  if (key == Qt::Key_Plus || key == Qt::Key_Equal || key == Qt::Key_BracketLeft ||
      key == Qt::Key_BracketRight || key == Qt::Key_Slash)
    modifiers &= ~Qt::KeyboardModifiers(Qt::ShiftModifier);
  const QKeySequence pressed(QKeyCombination(modifiers, static_cast<Qt::Key>(key)));
  for (const TimelineActionInfo& info : timelineActions())
    if (info.keys.contains(pressed)) return &info;
  return nullptr;
}

}  // namespace halo
