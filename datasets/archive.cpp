#include "datasets/archive.h"

#include <zip.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "datasets/decoder.h"
#include "datasets/signature.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

[[noreturn]] void damaged(const std::string& file, const std::string& member, const std::string& message) {
  throw DamagedInput({file, 0, 0, member, message});
}

std::string nameOf(zip_t* archive, zip_uint64_t index) {
  const char* name = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
  return name ? name : "";
}

std::vector<std::string> namesOf(zip_t* archive) {
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) names.push_back(nameOf(archive, static_cast<zip_uint64_t>(i)));
  return names;
}

/// What stands in place of an archive, if that is known.
void requireNoOther(const std::filesystem::path& file) {
  if (const std::string absent = absentData(file); !absent.empty()) damaged(file.string(), "", absent);
  std::string head(kSignatureBytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  if (beginsZip(head)) return;
  if (beginsPacked(head)) damaged(file.string(), "", "is packed once more; unpack it");
  if (const std::string what = notData(head, file); !what.empty()) damaged(file.string(), "", what);
}

/// The words for an archive that can be opened only unchecked, or not at all.
[[noreturn]] void refuse(zip_t* unchecked, const std::string& file, const std::string& kind,
                         const std::string& words) {
  if (unchecked == nullptr) damaged(file, "", "is not a readable " + kind + ": " + words);
  std::set<std::string> seen;
  for (const std::string& name : namesOf(unchecked))
    if (!seen.insert(name).second) damaged(file, name, "is in the archive twice; each name once");
  damaged(file, "",
          "contradicts itself: sizes or names differ, or something follows the end of the archive; " + kind +
              " as its writer left it");
}

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;

/// Gives back what it holds.
struct Error : zip_error_t {
  Error() { zip_error_init(this); }
  ~Error() { zip_error_fini(this); }
  Error(const Error&) = delete;
  Error& operator=(const Error&) = delete;
};

/// Opens with `flags`; what is wrong comes in `error`.
Archive openFile(const std::filesystem::path& file, int flags, Error& error) {
  int code = 0;
  Archive archive(zip_open(file.c_str(), ZIP_RDONLY | flags, &code));
  if (!archive) zip_error_set(&error, code, 0);
  return archive;
}

Archive openBytes(std::string_view bytes, int flags, Error& error) {
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  Archive archive(source ? zip_open_from_source(source, ZIP_RDONLY | flags, &error) : nullptr);
  if (!archive && source) zip_source_free(source);
  return archive;
}

template <class Open>
zip_t* openCertain(const std::string& name, const std::string& kind, Open open) {
  Error error, unused;
  Archive archive = open(ZIP_CHECKCONS, error);
  if (!archive) refuse(open(0, unused).get(), name, kind, zip_error_strerror(&error));
  return archive.release();
}

}  // namespace

bool beginsZip(std::string_view start) {
  return start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06") ||
         start.starts_with("PK\x07\x08");
}

ZipArchive::ZipArchive(const std::filesystem::path& file, const std::string& kind)
    : name_(file.string()), archive_(openCertain(name_, kind, [&](int flags, Error& error) {
        Archive archive = openFile(file, flags, error);
        if (!archive) requireNoOther(file);
        return archive;
      })) {
  list();
  std::error_code ignored;
  packedBytes_ = static_cast<double>(std::filesystem::file_size(file, ignored));
}

ZipArchive::ZipArchive(std::string_view bytes, const std::string& name, const std::string& kind)
    : name_(name),
      packedBytes_(static_cast<double>(bytes.size())),
      archive_(
          openCertain(name_, kind, [&](int flags, Error& error) { return openBytes(bytes, flags, error); })) {
  list();
}

void ZipArchive::list() {
  std::uint64_t index = 0;
  for (const std::string& name : namesOf(archive_.get())) {
    const std::uint64_t here = index++;
    if (name.empty() || name.back() == '/' || name.starts_with("__MACOSX/")) continue;
    zip_stat_t stat;
    if (zip_stat_index(archive_.get(), here, 0, &stat) != 0)
      damaged(name_, name, std::string("cannot be found in the archive: ") + zip_strerror(archive_.get()));
    if (stat.encryption_method != ZIP_EM_NONE)
      damaged(name_, name, "is encrypted; an archive without a password");
    members_.push_back({here, name, static_cast<double>(stat.size), static_cast<double>(stat.comp_size)});
  }
}

void ZipArchive::Discard::operator()(zip* archive) const { zip_discard(archive); }
void ZipArchive::Stream::Close::operator()(zip_file* member) const { zip_fclose(member); }

ZipArchive::Stream::Stream(zip* archive, const Member& member, std::string file)
    : file_(std::move(file)), member_(member.name), stream_(zip_fopen_index(archive, member.index, 0)) {
  if (!stream_) damaged(file_, member_, std::string("cannot be unpacked: ") + zip_strerror(archive));
}

std::size_t ZipArchive::Stream::read(char* to, std::size_t count) {
  const zip_int64_t got = zip_fread(stream_.get(), to, count);
  if (got < 0)
    damaged(file_, member_, std::string("cannot be unpacked: ") + zip_file_strerror(stream_.get()));
  return static_cast<std::size_t>(got);
}

std::optional<std::vector<std::string>> zipNames(const std::filesystem::path& file) {
  Error error;
  const Archive archive = openFile(file, 0, error);
  if (!archive) return std::nullopt;
  return namesOf(archive.get());
}

}  // namespace halo
