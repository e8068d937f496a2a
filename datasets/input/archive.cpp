#include "datasets/input/archive.h"

#include <zip.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

#include "datasets/input/decoder.h"
#include "datasets/input/packings.h"
#include "datasets/input/signature.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

[[noreturn]] void damaged(const std::string& file, const std::string& member, const std::string& message) {
  throw DamagedInput({.file = file, .key = member, .message = message});
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
  if (beginsPacked(head))
    damaged(file.string(), "",
            std::filesystem::path(withoutPacking(file)).extension() == ".npz"
                ? "is packed once more; unpack it"
                : "is packed, but not as a zip archive of arrays (.npz)");
  if (const std::string problem = notData(head, file); !problem.empty()) damaged(file.string(), "", problem);
}

[[noreturn]] void contradicts(const std::string& file, const std::string& kind) {
  damaged(file, "",
          "contradicts itself: sizes or names differ, or something follows the end of the archive; " + kind +
              " as its writer left it");
}

/// The words for an archive that can be opened only unchecked, or not at all.
[[noreturn]] void refuse(zip_t* unchecked, const std::string& file, const std::string& kind,
                         const std::string& words) {
  if (unchecked == nullptr) damaged(file, "", "is not a readable " + kind + ": " + words);
  std::set<std::string> names;
  for (const std::string& name : namesOf(unchecked))
    if (!names.insert(name).second) damaged(file, name, "is in the archive twice; each name once");
  contradicts(file, kind);
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

/// What begins as an archive is none without the record at its end: `error` is that of opening.
void requireEnd(const std::filesystem::path& file, const Error& error) {
  constexpr std::string_view kMember = "PK\x03\x04";
  bool absent = zip_error_code_zip(&error) == ZIP_ER_NOZIP;
#ifdef ZIP_ER_TRUNCATED_ZIP
  absent |= zip_error_code_zip(&error) == ZIP_ER_TRUNCATED_ZIP;
#endif
  std::string head(kMember.size(), '\0');
  std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  if (absent && head == kMember)
    damaged(file.string(), "", "the zip data end early; is the download complete?");
}

template <class Open>
zip_t* openCertain(const std::string& name, const std::string& kind, Open open) {
  Error error, unused;
  Archive archive = open(ZIP_CHECKCONS, error);
  if (!archive) refuse(open(0, unused).get(), name, kind, zip_error_strerror(&error));
  return archive.release();
}

constexpr std::size_t kEndRecord = 22;

std::size_t commentBytes(zip_t* archive) {
  int length = 0;
  zip_get_archive_comment(archive, &length, ZIP_FL_ENC_RAW);
  return static_cast<std::size_t>(std::max(0, length));
}

/// Whether the list of members ends where the record of the end begins. It does not in two archives one after
/// the other, of which the library would read either. `record` stands at byte `at`.
bool listEndsAt(std::string_view record, double at) {
  const auto number = [&](std::size_t from) {
    double value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value * 256 + static_cast<unsigned char>(record[from + i]);
    return value;
  };
  constexpr double kElsewhere = 4294967295.0;  // in the record of zip64, which the library checks
  if (record.size() < kEndRecord || number(16) == kElsewhere || number(12) == kElsewhere) return true;
  constexpr double kZip64Records = 56 + 20;  // which may stand between, needed or not
  const double between = at - number(12) - number(16);
  return between == 0 || between == kZip64Records;
}

/// What file managers leave beside the files of a folder.
bool isOfSystem(std::string_view name) {
  constexpr std::string_view kLeft[] = {".DS_Store", "Thumbs.db", "desktop.ini"};
  const std::string_view file = name.substr(name.rfind('/') + 1);
  return name.starts_with("__MACOSX/") || std::ranges::find(kLeft, file) != std::end(kLeft);
}

/// What tells of the data beside them: `readme.html` of Network Repository.
bool isAbout(const ZipArchive::Member& member) {
  const std::filesystem::path file = member.name;
  std::string name = file.filename().string();
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string ending = std::filesystem::path(name).extension().string();
  constexpr std::string_view kNames[] = {"readme", "license", "licence"},
                             kEndings[] = {"", ".html", ".htm", ".txt", ".md"};
  return std::ranges::find(kEndings, ending) != std::end(kEndings) &&
         std::ranges::any_of(kNames, [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

bool beginsZip(std::string_view start) {
  return start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06") ||
         start.starts_with("PK\x07\x08");
}

void requireCompleteZip(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) return;
  Error error;
  if (!openFile(file, 0, error)) requireEnd(file, error);
}

ZipArchive::ZipArchive(const std::filesystem::path& file, const std::string& kind)
    : name_(file.string()), archive_(openCertain(name_, kind, [&](int flags, Error& error) {
        Archive archive = openFile(file, flags, error);
        if (!archive) requireEnd(file, error);
        if (!archive) requireNoOther(file);
        return archive;
      })) {
  std::error_code ignored;
  packedBytes_ = static_cast<double>(std::filesystem::file_size(file, ignored));
  const auto end = static_cast<std::streamoff>(kEndRecord + commentBytes(archive_.get()));
  std::string record(kEndRecord, '\0');
  std::ifstream in(file, std::ios::binary);
  in.seekg(-end, std::ios::end);
  in.read(record.data(), static_cast<std::streamsize>(record.size()));
  if (!in || !listEndsAt(record, packedBytes_ - static_cast<double>(end))) contradicts(name_, kind);
  list();
}

ZipArchive::ZipArchive(std::string_view bytes, const std::string& name, const std::string& kind)
    : name_(name),
      packedBytes_(static_cast<double>(bytes.size())),
      archive_(
          openCertain(name_, kind, [&](int flags, Error& error) { return openBytes(bytes, flags, error); })) {
  const std::size_t at = bytes.size() - std::min(bytes.size(), kEndRecord + commentBytes(archive_.get()));
  if (!listEndsAt(bytes.substr(at, kEndRecord), static_cast<double>(at))) contradicts(name_, kind);
  list();
}

void ZipArchive::list() {
  std::uint64_t index = 0;
  for (const std::string& name : namesOf(archive_.get())) {
    const std::uint64_t position = index++;
    if (name.empty() || name.back() == '/' || isOfSystem(name)) continue;
    zip_stat_t stat;
    if (zip_stat_index(archive_.get(), position, 0, &stat) != 0)
      damaged(name_, name, std::string("cannot be found in the archive: ") + zip_strerror(archive_.get()));
    if (stat.encryption_method != ZIP_EM_NONE)
      damaged(name_, name, "is encrypted; an archive without a password");
    members_.push_back({position, name, static_cast<double>(stat.size), static_cast<double>(stat.comp_size)});
  }
  if (!std::ranges::all_of(members_, isAbout)) std::erase_if(members_, isAbout);
}

void ZipArchive::Discard::operator()(zip* archive) const { zip_discard(archive); }
void ZipArchive::Stream::Close::operator()(zip_file* member) const { zip_fclose(member); }

ZipArchive::Stream::Stream(zip* archive, const Member& member, std::string file)
    : file_(std::move(file)), member_(member.name), stream_(zip_fopen_index(archive, member.index, 0)) {
  if (!stream_) damaged(file_, member_, std::string("cannot be unpacked: ") + zip_strerror(archive));
}

std::size_t ZipArchive::Stream::read(char* to, std::size_t count) {
  const zip_int64_t bytes = zip_fread(stream_.get(), to, count);
  if (bytes < 0)
    damaged(file_, member_, std::string("cannot be unpacked: ") + zip_file_strerror(stream_.get()));
  return static_cast<std::size_t>(bytes);
}

std::optional<std::vector<std::string>> zipNames(const std::filesystem::path& file) {
  Error error;
  const Archive archive = openFile(file, 0, error);
  if (!archive) return std::nullopt;
  return namesOf(archive.get());
}

}  // namespace halo
