#pragma once

#include <QString>

namespace halo {

/// A list, table or tree whose letters choose nothing. Letters are keys of the timeline, and a run chosen by
/// a slip loses what was looked at.
template <class View>
class WithoutTypeAhead : public View {
 public:
  using View::View;
  void keyboardSearch(const QString&) override {}
};

}  // namespace halo
