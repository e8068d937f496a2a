// Where a file can be broken so that it has to be refused: by what stands in each place.

#include <cmath>
#include <limits>

#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

using Breaks = std::vector<Written::Break>;

/// Adds breaks of one file to a list.
class OfFile {
 public:
  OfFile(const Written& written, std::size_t at, Breaks& breaks)
      : file_(written.files[at]), at_(at), breaks_(breaks) {}

  void add(std::string description, Place place, std::function<void(File&)> make) {
    place.file = place.file.empty() ? nameOnly() : place.file;
    breaks_.push_back({file_.name + ": " + std::move(description), std::move(place),
                       [at = at_, make = std::move(make)](Written& written) { make(written.files[at]); }});
  }
  /// Of a line or the token in it, which the refusal has to name by its number or, in JSON, by its key.
  void addToken(std::size_t line, std::size_t token, const std::string& text, const std::string& key = {}) {
    const Index number = key.empty() ? static_cast<Index>(line) + 1 : 0;
    add("line " + std::to_string(line + 1) + ", word " + std::to_string(token + 1) + " becomes '" + text +
            "'",
        {"", number, key}, [=](File& file) { file.lines[line].tokens[token].text = text; });
  }
  const File& file() const { return file_; }

 private:
  std::string nameOnly() const { return file_.name.substr(file_.name.rfind('/') + 1); }
  const File& file_;
  std::size_t at_;
  Breaks& breaks_;
};

void addTokenBreaks(OfFile& fileBreaks, std::size_t l, std::size_t t) {
  const Token& token = fileBreaks.file().lines[l].tokens[t];
  if (token.role == Role::word) return;
  // what is no JSON at all is told by its line
  for (const char* wrong : {"1x", "--1", "1.2.3", "½", "0x1F"}) fileBreaks.addToken(l, t, wrong);
  if (token.role == Role::real) return;
  fileBreaks.addToken(l, t, "2.5", token.key);
  if (token.role == Role::vertex) fileBreaks.addToken(l, t, "-7", token.key);
  if (!token.beyond.empty()) fileBreaks.addToken(l, t, token.beyond, token.key);
  if (!token.beyond.empty() || token.role == Role::count)
    fileBreaks.addToken(l, t, "99999999999999999999999", token.key);
  if (token.role == Role::count)
    for (const std::string& count : {std::to_string(std::stoll(token.text) - 1),
                                     std::to_string(std::stoll(token.text) + 1), std::string("-7")})
      fileBreaks.add("a count of " + count, {}, [=](File& file) { file.lines[l].tokens[t].text = count; });
}

void addLineBreaks(OfFile& fileBreaks, std::size_t l) {
  const Line& line = fileBreaks.file().lines[l];
  const Index number = static_cast<Index>(l) + 1;
  const std::string name = "line " + std::to_string(number);
  if (line.fewer)
    fileBreaks.add(name + " without its last word", {"", number},
                   [=](File& file) { file.lines[l].tokens.pop_back(); });
  if (line.more)
    fileBreaks.add(name + " with its last word twice", {"", number},
                   [=](File& file) { file.lines[l].tokens.push_back(file.lines[l].tokens.back()); });
  if (line.needed)
    fileBreaks.add("without " + name, {}, [=](File& file) {
      file.lines.erase(file.lines.begin() + static_cast<std::ptrdiff_t>(l));
    });
  if (line.unique) {
    const std::string first = line.tokens[0].text;
    const bool keyed = fileBreaks.file().json && first.starts_with('"');
    fileBreaks.add(name + " twice", {"", 0, keyed ? first.substr(1, first.size() - 3) : ""}, [=](File& file) {
      file.lines.insert(file.lines.begin() + static_cast<std::ptrdiff_t>(l), file.lines[l]);
    });
  }
}

void addTextBreaks(OfFile& fileBreaks) {
  const File& file = fileBreaks.file();
  for (std::size_t l = 0; l < file.lines.size(); ++l) {
    const Line& line = file.lines[l];
    if (line.comment) continue;
    addLineBreaks(fileBreaks, l);
    for (std::size_t t = 0; t < line.tokens.size(); ++t) {
      const Token& token = line.tokens[t];
      addTokenBreaks(fileBreaks, l, t);
      if (file.cells && token.role != Role::word && line.tokens.size() > 1) fileBreaks.addToken(l, t, "");
      const bool sign = token.text == "," || token.text == "[" || token.text == "]" || token.text == "}";
      if (file.json && sign)
        fileBreaks.add("line " + std::to_string(l + 1) + " without a '" + token.text + "'", {"", kAnyLine},
                       [=](File& f) {
                         f.lines[l].tokens.erase(f.lines[l].tokens.begin() + static_cast<std::ptrdiff_t>(t));
                       });
    }
  }
}

void addArrayBreaks(OfFile& fileBreaks, std::size_t a) {
  const Array& array = fileBreaks.file().arrays[a];
  const bool sparse = array.name.ends_with("data") || array.name.ends_with("indices") ||
                      array.name.ends_with("indptr") || array.name.ends_with("shape");
  const std::string name = array.name;
  if (sparse)
    fileBreaks.add("without " + name, {"", 0, name},
                   [=](File& f) { f.arrays.erase(f.arrays.begin() + static_cast<std::ptrdiff_t>(a)); });
  if (array.values.empty()) return;
  fileBreaks.add(name + " whose shape is too large", {"", 0, name}, [=](File& f) { ++f.arrays[a].shape[0]; });
  if (array.columns >= 0)
    fileBreaks.add(name + " with a place that is none", {"", 0, name},
                   [=](File& f) { f.arrays[a].values.back() = static_cast<double>(f.arrays[a].columns); });
  if (sparse && !name.ends_with("data"))
    fileBreaks.add(name + " with a fraction", {"", 0, name}, [=](File& f) {
      f.arrays[a].type = "f8";
      f.arrays[a].values.front() += 0.5;
    });
  if (name.ends_with("indptr"))
    fileBreaks.add(name + " that ends too late", {"", 0, name},
                   [=](File& f) { ++f.arrays[a].values.back(); });
  if (name == "attr_matrix" || name.ends_with("attr_data") || name.empty())
    fileBreaks.add("features with a value that is no number", {" ", 0, name.empty() ? "features" : name},
                   [=](File& f) {
                     f.arrays[a].type = "f4";
                     f.arrays[a].values.front() = std::numeric_limits<double>::quiet_NaN();
                   });
  if (array.shape.size() == 1 && !sparse)
    fileBreaks.add(name + " of one vertex less", {"", 0, name}, [=](File& f) {
      --f.arrays[a].shape[0];
      f.arrays[a].values.pop_back();
    });
}

}  // namespace

std::vector<Written::Break> breaksOf(const Written& written) {
  Breaks breaks = written.breaks;
  for (std::size_t i = 0; i < written.files.size(); ++i) {
    OfFile fileBreaks(written, i, breaks);
    addTextBreaks(fileBreaks);
    for (std::size_t a = 0; a < fileBreaks.file().arrays.size(); ++a) addArrayBreaks(fileBreaks, a);
    if (fileBreaks.file().packing != Packing::none || !fileBreaks.file().arrays.empty())
      fileBreaks.add("cut in the middle", {}, [](File& file) { file.cut = true; });
    if (fileBreaks.file().required)
      breaks.push_back({"without " + fileBreaks.file().name,
                        {fileBreaks.file().name.substr(fileBreaks.file().name.rfind('/') + 1)},
                        [i](Written& broken) {
                          broken.files.erase(broken.files.begin() + static_cast<std::ptrdiff_t>(i));
                        }});
  }
  return breaks;
}

}  // namespace halo::properties
