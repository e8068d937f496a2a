#include "views/figure/figure_form.h"

#include <algorithm>

namespace halo {

const FigureFormEntry& formEntry(FigureForm form) {
  const auto& entries = registry<FigureFormEntry>();
  const auto entry =
      std::ranges::find_if(entries, [form](const auto& named) { return named.second.form == form; });
  HALO_CHECK(entry != entries.end());
  return entry->second;
}

}  // namespace halo
