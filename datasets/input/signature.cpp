#include "datasets/input/signature.h"

#include <algorithm>
#include <cctype>
#include <system_error>
#include <utility>

#include "datasets/input/packings.h"

namespace halo {
namespace {

/// A file that begins with `bytes` is `kind`; `remedy` names the file by {}.
struct Signature {
  std::string_view bytes;
  const char* kind;
  const char* remedy;
};

template <std::size_t N>
constexpr std::string_view bytes(const char (&text)[N]) {
  return {text, N - 1};  // zeros within it too
}

constexpr const char* kSaveArrays = "save its arrays with numpy.savez";
constexpr const char* kSaveText = "save the graph as text, an edge a line";
constexpr const char* kWriteEdges = "networkx.write_edgelist writes it as an edge list";

constexpr const char* kWriteCsv =
    "write its edges as CSV: pandas.read_parquet('{}').to_csv('edges.csv', index=False), or arrays as .npz "
    "with numpy.savez";

constexpr const char* kUtf8 = "iconv -t UTF-8 {}, with -f and the name of its own coding";

constexpr Signature kSignatures[] = {
    {bytes("7z\xbc\xaf\x27\x1c"), "a 7z archive", "unpack it: 7z x {}"},
    {bytes("Rar!\x1a\x07"), "a rar archive", "unpack it: unrar x {}"},
    {bytes("\x04\x22\x4d\x18"), "packed with lz4", "unpack it: lz4 -d {}"},
    {bytes("\x02\x21\x4c\x18"), "packed with lz4", "unpack it: lz4 -d {}"},
    {bytes("\x1f\x9d"), "packed with compress", "unpack it: gunzip {}"},
    {bytes("\x1f\xa0"), "packed with compress", "unpack it: gunzip {}"},
    {bytes("\x1f\x1e"), "packed with pack", "unpack it: gunzip {}"},
    {bytes("LZIP\x01"), "packed with lzip", "unpack it: lzip -d {}"},
    {bytes("\x89LZO\0\r\n"), "packed with lzop", "unpack it: lzop -d {}"},
    {bytes("\x5d\0\0"), "packed with lzma", "unpack it: unlzma {}"},
    {bytes("\xff\x06\0\0sNaPpY"), "packed with snappy", "unpack it: snzip -d {}"},
    {bytes("\x89HDF\r\n\x1a\n"), "an HDF5 file", kSaveArrays},
    {bytes("ARROW1\0\0"), "an Arrow file", kSaveText},
    {bytes("SQLite format 3\0"), "an SQLite database", kSaveText},
    {bytes("MATLAB 5.0 MAT-file"), "a MATLAB file", kSaveArrays},
    {bytes("\xff\xfe\0\0"), "text in UTF-32", kUtf8},
    {bytes("\xff\xfe"), "text in UTF-16", kUtf8},
    {bytes("\xfe\xff"), "text in UTF-16", kUtf8},
    {bytes("%PDF-"), "a PDF document", "name the data themselves"},
    {bytes("\x80\x02"), "a Python pickle, which only Python can read", kSaveArrays},
    {bytes("\x80\x03"), "a Python pickle, which only Python can read", kSaveArrays},
    {bytes("\x80\x04\x95"), "a Python pickle, which only Python can read", kSaveArrays},
    {bytes("\x80\x05\x95"), "a Python pickle, which only Python can read", kSaveArrays},
};

std::string fileName(const std::filesystem::path& file) { return file.filename().string(); }

/// The remedy with the file's name for {}.
std::string remedyFor(std::string remedy, const std::filesystem::path& file) {
  if (const std::size_t at = remedy.find("{}"); at != std::string::npos)
    remedy.replace(at, 2, fileName(file));
  return remedy;
}

/// A command on the text of a file, which may be packed.
std::string savedAsUtf8(const std::string& command, const std::filesystem::path& file) {
  const std::filesystem::path plain = withoutPacking(file);
  return (plain == file ? "save it in UTF-8: " : "unpack it, and save it in UTF-8: ") +
         remedyFor(command, plain);
}

std::string kindAndRemedy(const Signature& signature, const std::filesystem::path& file) {
  const std::string remedy =
      std::string(signature.remedy) == kUtf8 ? savedAsUtf8(kUtf8, file) : remedyFor(signature.remedy, file);
  return std::string("is ") + signature.kind + "; " + remedy;
}

/// As a column's first bytes follow its mark, whatever they are: no text.
bool isParquet(std::string_view head) {
  return (head.starts_with("PAR1") || head.starts_with("PARE")) &&
         std::any_of(head.begin() + 4, head.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' && (c < '\t' || c > '\r'); });
}

/// Text whose letters take `width` bytes without a mark before them: letters of ASCII at least three in four,
/// no zero among them. `lowFirst`: the byte that counts most stands last (LE).
bool isWide(std::string_view head, std::size_t width, bool lowFirst) {
  const std::size_t letters = head.size() / width;
  std::size_t plain = 0;
  for (std::size_t i = 0; i < letters; ++i) {
    const std::string_view letter = head.substr(i * width, width);
    const auto zeros = static_cast<std::size_t>(std::count(letter.begin(), letter.end(), '\0'));
    if (zeros == width) return false;
    const auto low = static_cast<unsigned char>(lowFirst ? letter.front() : letter.back());
    plain += zeros + 1 == width && ((low >= ' ' && low < 127) || (low >= '\t' && low <= '\r'));
  }
  return letters >= 2 && 4 * plain >= 3 * letters;
}

std::string wideSaid(std::string_view head, const std::filesystem::path& file) {
  for (const std::size_t width : {std::size_t{2}, std::size_t{4}})
    for (const bool lowFirst : {true, false})
      if (isWide(head, width, lowFirst)) {
        const std::string coding = "UTF-" + std::to_string(8 * width);
        return "is text in " + coding + "; " +
               savedAsUtf8("iconv -f " + coding + (lowFirst ? "LE" : "BE") + " -t UTF-8 {}", file);
      }
  return "";
}

/// The sum of the header, its own field as blanks, stands there in octal: also where the word "ustar" does
/// not.
bool isTar(std::string_view head) {
  constexpr std::size_t kHeader = 512, kField = 148, kWidth = 8;
  if (head.size() < kHeader || head[0] == '\0') return false;
  unsigned sum = 0, written = 0;
  for (std::size_t i = 0; i < kHeader; ++i)
    sum += static_cast<unsigned char>(i >= kField && i < kField + kWidth ? ' ' : head[i]);
  bool digits = false;
  for (const char c : head.substr(kField, kWidth)) {
    if (c == ' ' && !digits) continue;
    if (c < '0' || c > '7') break;
    written = written * 8 + static_cast<unsigned>(c - '0');
    digits = true;
  }
  return digits && written == sum;
}

std::string tarSaid(std::string_view head, const std::filesystem::path& file) {
  const std::string_view name = head.substr(0, 100);
  std::string first(name.substr(0, name.find('\0')));
  return "is a tar archive, whose first entry is '" + first + "'; unpack it (tar xf " + fileName(file) +
         ") and name what it holds";
}

/// Without the byte order mark of UTF-8.
std::string_view behindMark(std::string_view head) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (head.starts_with(kMark)) head.remove_prefix(kMark.size());
  return head;
}

/// Small letters, from the first that is no blank on.
std::string startOfText(std::string_view head) {
  head = behindMark(head);
  const std::size_t begin = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  std::string text(head.substr(begin));
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Behind comments of markup.
std::string_view behindComments(std::string_view text) {
  constexpr std::string_view kEnd = "-->";
  while (text.starts_with("<!--")) {
    const std::size_t end = text.find(kEnd);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + kEnd.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  }
  return text;
}

std::string markupSaid(std::string_view head) {
  const std::string all = startOfText(head);
  const std::string text(behindComments(all));
  const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
  const bool xml = text.starts_with("<?xml");
  if (text.starts_with("404: not found"))
    return "is the answer of a server that has no such file, not the data; see whether the address is right";
  if (text.starts_with("<!doctype html") || text.starts_with("<html") || text.starts_with("<head>") ||
      (xml && has("<html")))
    return "is an HTML page, not the data; the download went to a page about them: open the address in a "
           "browser";
  if (xml && has("<error>")) return "is the error page of a server, not the data; download it again";
  if (text.starts_with("<graphml") || (xml && has("<graphml")))
    return std::string("is GraphML, which is not read; ") + kWriteEdges;
  if (text.starts_with("<gexf") || (xml && has("<gexf")))
    return std::string("is GEXF, which is not read; ") + kWriteEdges;
  if (xml) return std::string("is XML, in which no graph is read; ") + kSaveText;
  return "";
}

/// `graph {`, `strict digraph name {`: a word and a brace, where GML has a bracket.
bool isDot(std::string_view text) {
  if (text.starts_with("strict ")) text.remove_prefix(7);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.starts_with("di")) text.remove_prefix(2);
  if (!text.starts_with("graph")) return false;
  text.remove_prefix(5);
  const std::size_t brace = text.find_first_of("{[");
  return brace != std::string_view::npos && text[brace] == '{' &&
         std::string_view(" \t\r\n{\"").find(text[0]) != std::string_view::npos;
}

/// Graphs as text in formats that have no reader.
std::string otherGraphSaid(std::string_view head) {
  constexpr std::pair<std::string_view, const char*> kFirstWords[] = {
      {"*vertices", "a Pajek network"}, {"*network", "a Pajek network"}, {"*arcs", "a Pajek network"},
      {"*edges", "a Pajek network"},    {">>graph6<<", "graph6"},        {">>sparse6<<", "sparse6"},
      {"*node data", "a VNA network"},  {"*tie data", "a VNA network"},  {"nodedef>", "GDF"}};
  const std::string text = startOfText(head);
  const char* format = isDot(text) ? "a graph of Graphviz (DOT)" : nullptr;
  for (const auto& [word, name] : kFirstWords)
    if (text.starts_with(word)) format = name;
  return format == nullptr ? "" : std::string("is ") + format + ", which is not read; " + kWriteEdges;
}

/// The path of the content in an annex, as links and pointers give it.
constexpr std::string_view kAnnex = "annex/objects/";

std::string annexSaid(const std::filesystem::path& file) {
  return "is in git-annex, and its content is not here; fetch it: git annex get " + fileName(file);
}

}  // namespace

std::string pointerToData(std::string_view head, const std::filesystem::path& file) {
  head = behindMark(head);
  if (head.starts_with("version https://git-lfs.github.com/spec/") ||
      head.starts_with("version http://git-media.io/"))
    return "is the pointer that Git LFS leaves instead of the file; fetch it: git lfs pull";
  return head.starts_with("/annex/objects/") ? annexSaid(file) : "";
}

std::string notData(std::string_view head, const std::filesystem::path& file) {
  if (std::string pointer = pointerToData(head, file); !pointer.empty()) return pointer;
  for (const Signature& signature : kSignatures)
    if (head.starts_with(signature.bytes)) return kindAndRemedy(signature, file);
  if (isParquet(head)) return kindAndRemedy({"", "a Parquet file", kWriteCsv}, file);
  if (std::string wide = wideSaid(head, file); !wide.empty()) return wide;
  if (isTar(head)) return tarSaid(head, file);
  if (std::string markup = markupSaid(head); !markup.empty()) return markup;
  return otherGraphSaid(head);
}

std::string absentData(const std::filesystem::path& file) {
  std::error_code none;
  const std::string target = std::filesystem::read_symlink(file, none).string();
  return !none && target.find(kAnnex) != std::string::npos && !std::filesystem::exists(file, none)
             ? annexSaid(file)
             : "";
}

}  // namespace halo
