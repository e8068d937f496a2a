#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halo {

/// What the declarations make different on a page of the manual.
struct ChangedPage {
  std::filesystem::path page;  // from the folder of the manual
  std::string text;            // as it should be
};

/// The text of a page with everything between its marks made anew. A mark is a line
/// `<!-- declared: WORDS -->`; what follows it down to `<!-- end -->` the declarations give. Throws
/// InputError for words that name nothing, and for a mark without end.
std::string filledPage(const std::string& text, const std::filesystem::path& page);

/// Every page of the manual in this folder that does not say what the declarations say, made right. A piece
/// that stands on no page is added to its own, which is made where there is none.
std::vector<ChangedPage> changedPages(const std::filesystem::path& manual);

}  // namespace halo
