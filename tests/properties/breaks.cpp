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

  void add(std::string what, Place place, std::function<void(File&)> make) {
    place.file = place.file.empty() ? nameOnly() : place.file;
    breaks_.push_back({file_.name + ": " + std::move(what), std::move(place),
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

void addTokenBreaks(OfFile& of, std::size_t l, std::size_t t) {
  const Token& token = of.file().lines[l].tokens[t];
  if (token.role == Role::word) return;
  // what is no JSON at all is told by its line
  for (const char* wrong : {"1x", "--1", "1.2.3", "½", "0x1F"}) of.addToken(l, t, wrong);
  if (token.role == Role::real) return;
  of.addToken(l, t, "2.5", token.key);
  if (token.role == Role::vertex) of.addToken(l, t, "-7", token.key);
  if (!token.beyond.empty()) of.addToken(l, t, token.beyond, token.key);
  if (!token.beyond.empty() || token.role == Role::count)
    of.addToken(l, t, "99999999999999999999999", token.key);
  if (token.role == Role::count)
    for (const std::string& count : {std::to_string(std::stoll(token.text) - 1),
                                     std::to_string(std::stoll(token.text) + 1), std::string("-7")})
      of.add("a count of " + count, {}, [=](File& file) { file.lines[l].tokens[t].text = count; });
}

void addLineBreaks(OfFile& of, std::size_t l) {
  const Line& line = of.file().lines[l];
  const Index number = static_cast<Index>(l) + 1;
  const std::string name = "line " + std::to_string(number);
  if (line.fewer)
    of.add(name + " without its last word", {"", number},
           [=](File& file) { file.lines[l].tokens.pop_back(); });
  if (line.more)
    of.add(name + " with its last word twice", {"", number},
           [=](File& file) { file.lines[l].tokens.push_back(file.lines[l].tokens.back()); });
  if (line.needed)
    of.add("without " + name, {},
           [=](File& file) { file.lines.erase(file.lines.begin() + static_cast<std::ptrdiff_t>(l)); });
  if (line.unique) {
    const std::string first = line.tokens[0].text;
    const bool keyed = of.file().json && first.starts_with('"');
    of.add(name + " twice", {"", 0, keyed ? first.substr(1, first.size() - 3) : ""}, [=](File& file) {
      file.lines.insert(file.lines.begin() + static_cast<std::ptrdiff_t>(l), file.lines[l]);
    });
  }
}

void addTextBreaks(OfFile& of) {
  const File& file = of.file();
  for (std::size_t l = 0; l < file.lines.size(); ++l) {
    const Line& line = file.lines[l];
    if (line.comment) continue;
    addLineBreaks(of, l);
    for (std::size_t t = 0; t < line.tokens.size(); ++t) {
      const Token& token = line.tokens[t];
      addTokenBreaks(of, l, t);
      if (file.cells && token.role != Role::word && line.tokens.size() > 1) of.addToken(l, t, "");
      const bool sign = token.text == "," || token.text == "[" || token.text == "]" || token.text == "}";
      if (file.json && sign)
        of.add("line " + std::to_string(l + 1) + " without a '" + token.text + "'", {"", kAnyLine},
               [=](File& f) {
                 f.lines[l].tokens.erase(f.lines[l].tokens.begin() + static_cast<std::ptrdiff_t>(t));
               });
    }
  }
}

void addArrayBreaks(OfFile& of, std::size_t a) {
  const Array& array = of.file().arrays[a];
  const bool sparse = array.name.ends_with("data") || array.name.ends_with("indices") ||
                      array.name.ends_with("indptr") || array.name.ends_with("shape");
  const std::string name = array.name;
  if (sparse)
    of.add("without " + name, {"", 0, name},
           [=](File& f) { f.arrays.erase(f.arrays.begin() + static_cast<std::ptrdiff_t>(a)); });
  if (array.values.empty()) return;
  of.add(name + " whose shape is too large", {"", 0, name}, [=](File& f) { ++f.arrays[a].shape[0]; });
  if (array.columns >= 0)
    of.add(name + " with a place that is none", {"", 0, name},
           [=](File& f) { f.arrays[a].values.back() = static_cast<double>(f.arrays[a].columns); });
  if (sparse && !name.ends_with("data"))
    of.add(name + " with a fraction", {"", 0, name}, [=](File& f) {
      f.arrays[a].type = "f8";
      f.arrays[a].values.front() += 0.5;
    });
  if (name.ends_with("indptr"))
    of.add(name + " that ends too late", {"", 0, name}, [=](File& f) { ++f.arrays[a].values.back(); });
  if (name == "attr_matrix" || name.ends_with("attr_data") || name.empty())
    of.add("features with a value that is no number", {" ", 0, "features"}, [=](File& f) {
      f.arrays[a].type = "f4";
      f.arrays[a].values.front() = std::numeric_limits<double>::quiet_NaN();
    });
  if (array.shape.size() == 1 && !sparse)
    of.add(name + " of one vertex less", {"", 0, name}, [=](File& f) {
      --f.arrays[a].shape[0];
      f.arrays[a].values.pop_back();
    });
}

}  // namespace

std::vector<Written::Break> breaksOf(const Written& written) {
  Breaks breaks = written.breaks;
  for (std::size_t i = 0; i < written.files.size(); ++i) {
    OfFile of(written, i, breaks);
    addTextBreaks(of);
    for (std::size_t a = 0; a < of.file().arrays.size(); ++a) addArrayBreaks(of, a);
    if (of.file().packing != Packing::none || !of.file().arrays.empty())
      of.add("cut in the middle", {}, [](File& file) { file.cut = true; });
    if (of.file().required)
      breaks.push_back({"without " + of.file().name,
                        {of.file().name.substr(of.file().name.rfind('/') + 1)},
                        [i](Written& broken) {
                          broken.files.erase(broken.files.begin() + static_cast<std::ptrdiff_t>(i));
                        }});
  }
  return breaks;
}

}  // namespace halo::properties
