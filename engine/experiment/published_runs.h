#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/experiment/published.h"

namespace halo {

/// Whether a run's resolved keys (RunSettings::flat) meet the conditions.
bool meets(const std::map<std::string, std::string>& parameters, const Published::Conditions& conditions);

/// What a ratio compares: the keys of `of` and `over` that these do not have alike.
std::set<std::string> comparedBy(const Published& figure);

/// What a run assumes of a figure's open keys, as far as it has them: key and value without quotes.
std::map<std::string, std::string> assumptionsOf(const Published& figure,
                                                 const std::map<std::string, std::string>& parameters);
/// Whether a set of assumptions is the one that the figure declares to count.
bool isCounted(const Published& figure, const std::map<std::string, std::string>& assumptions);
/// Whether a run of `over` may stand beside one of `of`: it assumes the same wherever both assume something,
/// but for what `over` itself names.
bool isPair(const Published& figure, const std::map<std::string, std::string>& numerator,
            const std::map<std::string, std::string>& denominator);

}  // namespace halo
