#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halo {

/// For a table or edges of two columns without names. Remarks where every row may as well be one number with
/// decimals behind a comma, and a row looks so: `1.234,5` or `2,05`.
void remarkDecimals(const std::filesystem::path& file, std::vector<std::string>& remarks);

}  // namespace halo
