#include "views/figure/figure.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "views/figure/figure_form.h"

namespace halo {

bool Figure::empty() const { return formEntry(form).empty(*this); }

QString Figure::rowOf(double place) const {
  return y.categories.value(static_cast<qsizetype>(std::lround(place)));
}

void decimate(std::vector<double>& x, std::vector<double>& y, std::size_t limit) {
  HALO_CHECK(x.size() == y.size() && limit >= 4);
  std::size_t finiteCount = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i]) && std::isfinite(y[i])) {
      x[finiteCount] = x[i];
      y[finiteCount++] = y[i];
    }
  x.resize(finiteCount);
  y.resize(finiteCount);
  if (finiteCount <= limit) return;

  std::vector<std::size_t> chosen{0};
  const std::size_t shares = (limit - 2) / 2;
  for (std::size_t s = 0; s < shares; ++s) {
    const std::size_t begin = 1 + s * (finiteCount - 2) / shares;
    const std::size_t end = 1 + (s + 1) * (finiteCount - 2) / shares;
    const auto [low, high] = std::minmax_element(y.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 y.begin() + static_cast<std::ptrdiff_t>(end));
    const auto a = at(low - y.begin());
    const auto b = at(high - y.begin());
    chosen.push_back(std::min(a, b));
    if (a != b) chosen.push_back(std::max(a, b));
  }
  chosen.push_back(finiteCount - 1);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    x[i] = x[chosen[i]];
    y[i] = y[chosen[i]];
  }
  x.resize(chosen.size());
  y.resize(chosen.size());
}

QByteArray toCsv(const Figure& figure, CsvFor reader) {
  CsvLines out(reader);
  formEntry(figure.form).csv(figure, out);
  return out.bytes();
}

QString describe(const Figure& figure) {
  if (figure.empty()) return figure.emptyReason;
  QStringList parts = formEntry(figure.form).describe(figure);
  if (!figure.marks.isEmpty()) parts << figure.marks.join(", ");
  return parts.join("; ");
}

QString provenanceLine(const Figure& figure, qsizetype longest) {
  QStringList parts;
  for (const auto& [key, value] : figure.provenance) {
    if (value.isEmpty()) continue;
    parts << key + " " + (value.size() <= longest ? value : value.left(longest - 1) + "…");
  }
  return parts.join(" · ");
}

}  // namespace halo
