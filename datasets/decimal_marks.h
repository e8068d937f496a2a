#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halo {

/// For a table or edges of two columns without names: remarks where every row may as well be one number whose
/// decimals follow a comma, and one row looks so: `1.234,5` or `2,05`.
void remarkDecimals(const std::filesystem::path& file, std::vector<std::string>& remarks);

}  // namespace halo
