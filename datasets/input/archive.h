#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct zip;
struct zip_file;

namespace halo {

/// Whether a file that begins so is a zip archive.
bool beginsZip(std::string_view start);

/// Throws DamagedInput for a file that begins as a zip archive and lacks its end.
void requireCompleteZip(const std::filesystem::path& file);

/// A zip archive whose members are certain. Archives that contradict themselves are refused. They have a name
/// twice, sizes or names that differ between a member and the list of members, or bytes behind the end.
class ZipArchive {
 public:
  struct Member {
    std::uint64_t index = 0;
    std::string name;
    double bytes = 0;        // unpacked, as the archive says
    double packedBytes = 0;  // in the archive
  };

  /// `kind`: what it is called in messages, as "a .npz (zip) archive". Throws DamagedInput.
  ZipArchive(const std::filesystem::path& file, const std::string& kind);
  /// The same of bytes, which have to outlive it; `name` is that of messages.
  ZipArchive(std::string_view bytes, const std::string& name, const std::string& kind);

  /// Files, in their order: no folders, and nothing of what macOS puts beside them.
  const std::vector<Member>& members() const { return members_; }
  double packedBytes() const { return packedBytes_; }

  /// One member, unpacked as it is read. Must not outlive the archive.
  class Stream {
   public:
    /// At most `count` bytes; 0 only at the end, where checksum and size have been checked.
    std::size_t read(char* to, std::size_t count);

   private:
    friend class ZipArchive;
    Stream(zip* archive, const Member& member, std::string file);
    struct Close {
      void operator()(zip_file* member) const;
    };
    std::string file_, member_;
    std::unique_ptr<zip_file, Close> stream_;
  };
  /// Throws DamagedInput for a member that is encrypted or packed in a way that is not known.
  Stream open(const Member& member) const { return {archive_.get(), member, name_}; }

 private:
  void list();
  struct Discard {
    void operator()(zip* archive) const;
  };
  std::string name_;
  double packedBytes_ = 0;
  std::unique_ptr<zip, Discard> archive_;
  std::vector<Member> members_;
};

/// The names of the members of `file`, nothing checked; none: it is no zip archive, or a damaged one.
std::optional<std::vector<std::string>> zipNames(const std::filesystem::path& file);

}  // namespace halo
