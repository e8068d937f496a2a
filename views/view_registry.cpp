#include "views/view_registry.h"

#include <algorithm>
#include <tuple>

namespace halo {

std::vector<const ViewEntry*> viewsInOrder() {
  std::vector<const ViewEntry*> views;
  for (const auto& [name, entry] : registry<ViewEntry>()) views.push_back(&entry);
  std::ranges::stable_sort(views, {},
                           [](const ViewEntry* view) { return std::tuple(view->area, view->order); });
  return views;
}

}  // namespace halo
