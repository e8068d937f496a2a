#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace halo {

/// How many first bytes `notData` looks at.
inline constexpr std::size_t kSignatureBytes = 512;

/// What a file that begins with `head` is and what to do, if it is plainly no data that any reader reads. It
/// may be the pointer that Git LFS or git-annex leaves, or a page saved instead of the data. It may also be a
/// packing that is not unpacked, or the file of another program. Empty: nothing speaks against it.
std::string notData(std::string_view head, const std::filesystem::path& file);

/// The pointers alone.
std::string pointerToData(std::string_view head, const std::filesystem::path& file);

/// The same for `file`, which cannot be opened: the link that git-annex leaves without what it points to.
std::string absentData(const std::filesystem::path& file);

}  // namespace halo
