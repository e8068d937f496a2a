#include "tests/properties/document.h"

#include <lzma.h>
#include <zlib.h>

#include <cstdio>

namespace halo::properties {
namespace {

std::string gzipped(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string xzPacked(const std::string& bytes) {
  std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t used = 0;
  lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                          bytes.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &used, packed.size());
  packed.resize(used);
  return packed;
}

std::string packed(const std::string& bytes, Packing packing) {
  switch (packing) {
    case Packing::none:
      return bytes;
    case Packing::gzip:
      return gzipped(bytes);
    case Packing::xz:
      return xzPacked(bytes);
    case Packing::zip:
      return zipBytes({{"inside", bytes}}, true);
  }
  return bytes;
}

std::string textOf(const File& file) {
  const std::string end = file.crlf ? "\r\n" : "\n";
  std::string text = file.mark ? "\xef\xbb\xbf" : "";
  for (const Line& line : file.lines) {
    for (std::size_t i = 0; i < line.tokens.size(); ++i)
      text += (i > 0 ? file.separator : "") + line.tokens[i].text;
    text += end;
  }
  if (file.endless && text.size() > end.size()) text.resize(text.size() - end.size());
  return text;
}

}  // namespace

std::string render(const File& file) {
  std::string bytes = file.name.ends_with(".npz")   ? npzBytes(file.arrays, file.packing != Packing::none)
                      : file.name.ends_with(".npy") ? npyBytes(file.arrays.at(0))
                                                    : packed(textOf(file), file.packing);
  if (file.cut) bytes.resize(bytes.size() / 2);
  return bytes;
}

void vary(File& file, const Variety& variety, Random& random) {
  if (!variety.separators.empty()) file.separator = pick(random, variety.separators);
  file.crlf = variety.crlf && chance(random, 0.3);
  file.mark = variety.mark && chance(random, 0.1);
  file.endless = chance(random, 0.2) && !file.lines.empty() && !file.lines.back().tokens.empty();
  file.packing = chance(random, 0.5) ? Packing::none : pick(random, variety.packings);
  std::vector<std::string> kinds = variety.comments;
  if (variety.blankLines) kinds.emplace_back();
  if (kinds.empty() || chance(random, 0.5)) return;
  std::vector<Line> lines;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (i >= variety.afterLine && chance(random, 0.2)) {
      const std::string& kind = pick(random, kinds);
      lines.push_back({{word(kind.empty() ? kind : kind + " said 1 2")}, false, false, false, false, true});
    }
    lines.push_back(std::move(file.lines[i]));
  }
  file.lines = std::move(lines);
}

std::string realText(double value, Random& random) {
  char text[32];
  const std::string form = pick(random, {"%g", "%g", "%.2f", "%.3e", "%+g"});
  std::snprintf(text, sizeof text, form.c_str(), value);
  return text;
}

Token word(std::string text) { return {std::move(text), Role::word}; }
Token integer(Index value) { return {std::to_string(value), Role::integer}; }
Token real(double value, Random& random) { return {realText(value, random), Role::real}; }
Token vertex(Index number, Index beyond) {
  return {std::to_string(number), Role::vertex, std::to_string(beyond)};
}
Token anyVertex(Index number) { return {std::to_string(number), Role::vertex}; }

}  // namespace halo::properties
