#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halo {

/// Two whole numbers with a comma between them: what they plainly are, or perhaps one number with decimals.
enum class Pairs { plain, doubted };

/// For a table or edges of two columns without names. Remarks where every row may as well be one number with
/// decimals behind a comma, and a row looks so: `1.234,5` or `2,05`, and where they are doubted `12,5`.
void remarkDecimals(const std::filesystem::path& file, std::vector<std::string>& remarks,
                    Pairs pairs = Pairs::plain);

}  // namespace halo
