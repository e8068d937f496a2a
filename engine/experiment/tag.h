#pragma once

#include <string>

namespace halo {

/// Of names and tags, in bytes: they head columns, figures and files.
inline constexpr std::size_t kLongestName = 500;

/// What a tag must be that this text is not; "": it can be a tag.
std::string wrongTag(const std::string& text);

}  // namespace halo
