#include "datasets/arrays/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include "datasets/arrays/npy_header.h"
#include "datasets/input/limits.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as this machine has them");

[[noreturn]] void damaged(const NpySource& source, const std::string& message) {
  throw DamagedInput({.file = source.file, .key = source.member, .message = message});
}

/// Bytes of one element; 0 for a type whose size is not fixed by its name.
Index elementBytes(const std::string& type) {
  constexpr std::size_t kLongest = 9;  // digits, so that nothing overflows
  Index count = 0;
  if (type.size() < 2 || type.size() > kLongest) return 0;
  const auto [end, error] = std::from_chars(type.data() + 1, type.data() + type.size(), count);
  if (error != std::errc() || end != type.data() + type.size() || count < 0) return 0;
  return type[0] == 'U' ? 4 * count : count;
}

/// Bytes that stand behind the header.
Index declaredBytes(const NpySource& source, const NpyHeader& header) {
  const Index width = elementBytes(header.type);
  if (width == 0 && header.type != "U0" && header.type != "S0")
    damaged(source, "elements of type '" + header.type + "' cannot be read; numbers or text can");
  const auto count = elementCount(header.shape);
  Index bytes = 0;
  if (!count || __builtin_mul_overflow(*count, width, &bytes))
    damaged(source, "the shape in the header is impossibly large");
  return bytes;
}

// ---- the elements ----

void swapBytes(std::string& bytes, std::size_t width) {
  for (std::size_t i = 0; i + width <= bytes.size(); i += width)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + width));
}

/// Column-major to row-major, for any number of dimensions.
std::string rowMajor(const std::string& bytes, const std::vector<Index>& shape, std::size_t width) {
  std::string result(bytes.size(), '\0');
  std::vector<Index> place(shape.size(), 0);
  for (std::size_t out = 0; out + width <= bytes.size(); out += width) {
    Index from = 0;
    for (std::size_t d = shape.size(); d-- > 0;) from = from * shape[d] + place[d];
    std::memcpy(result.data() + out, bytes.data() + at(from) * width, width);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++place[d] < shape[d]) break;
      place[d] = 0;
    }
  }
  return result;
}

/// Reads until `count` bytes are there or the source ends; returns how many came.
std::size_t readFully(const NpySource& source, char* to, std::size_t count) {
  std::size_t have = 0;
  while (have < count) {
    const std::size_t bytes = source.read(to + have, count - have);
    if (bytes == 0) break;
    have += bytes;
  }
  return have;
}

/// Reads the header; `length` is that of what was read.
NpyHeader takeHeader(const NpySource& source, std::size_t& length) {
  const auto wrong = [&](const std::string& problem) {
    damaged(source, problem + "; an array as numpy.save writes it");
  };
  char start[12];
  const auto byteAt = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(start[i])}; };
  if (readFully(source, start, 10) < 10 || std::memcmp(start, "\x93NUMPY", 6) != 0) wrong("no numpy header");
  constexpr std::size_t kLatest = 3;
  const std::size_t version = byteAt(6);
  if (version < 1 || version > kLatest)
    wrong("the numpy header is of version " + std::to_string(version) + ", and there are 1, 2 and 3");
  const bool wide = version >= 2;
  if (wide && readFully(source, start + 10, 2) < 2) wrong("the numpy header ends early");
  length =
      wide ? byteAt(8) | byteAt(9) << 8 | byteAt(10) << 16 | byteAt(11) << 24 : byteAt(8) | byteAt(9) << 8;
  constexpr std::size_t kLongest = std::size_t{1} << 20;
  if (length > kLongest) wrong("the numpy header has " + std::to_string(length) + " bytes");
  std::string dictionary(length, '\0');
  if (readFully(source, dictionary.data(), length) < length) wrong("the numpy header ends early");
  length += wide ? 12 : 10;
  NpyHeader header;
  if (std::string problem; !parseNpyHeader(dictionary, header, problem)) wrong("the numpy header " + problem);
  constexpr std::size_t kMostDimensions = 64;  // as numpy has it; every element is put in its place by all
  if (const std::size_t many = header.shape.size(); many > kMostDimensions)
    wrong("the numpy header has " + std::to_string(many) + " dimensions, and at most 64 there are");
  return header;
}

std::string shapeText(const std::vector<Index>& shape) {
  std::string text;
  for (const Index extent : shape) text += (text.empty() ? "" : " × ") + std::to_string(extent);
  return text.empty() ? "one element" : text;
}

[[noreturn]] void refuseSize(const NpySource& source, const std::string& holds, std::size_t declared) {
  damaged(source, "holds " + holds + " bytes of elements; its header promises " + std::to_string(declared));
}

/// Reads `declared` bytes, or until the source ends. It takes memory as they come: nobody pays for a promise.
std::string readPromised(const NpySource& source, std::size_t declared) {
  constexpr std::size_t kStep = std::size_t{4} << 20;
  std::string bytes;
  bytes.reserve(declared);  // address space; its pages are taken when they are written
  for (std::size_t have = 0; have < declared;) {
    const std::size_t step = std::min(kStep, declared - have);
    bytes.resize(have + step);
    const std::size_t length = readFully(source, bytes.data() + have, step);
    have += length;
    if (length == step) continue;
    bytes.resize(have);
    break;
  }
  return bytes;
}

/// Exactly the declared bytes; the archive's word of how many there are is asked before memory is.
std::string takeElements(const NpySource& source, const NpyHeader& header, std::size_t start) {
  const auto declared = at(declaredBytes(source, header));
  const double present = source.unpackedBytes - static_cast<double>(start);
  if (source.unpackedBytes >= 0 && present != static_cast<double>(declared))
    refuseSize(source, std::to_string(static_cast<long long>(present)), declared);
  const double copies = header.fortran ? 2 : 1;
  requireRoom(copies * static_cast<double>(declared), source.packedBytes,
              "an array of " + shapeText(header.shape) + " of type '" + header.type + "'",
              {.file = source.file, .key = source.member}, source.heldBytes);
  std::string bytes = readPromised(source, declared);
  if (bytes.size() < declared) refuseSize(source, std::to_string(bytes.size()), declared);
  char surplus;
  if (source.read(&surplus, 1) > 0) refuseSize(source, "more than " + std::to_string(declared), declared);
  return bytes;
}

/// numpy takes any byte but 0 for true, and writes none but 0 and 1.
void requireTruths(const NpySource& source, const NpyHeader& header, const std::string& bytes) {
  if (header.type != "b1") return;
  const auto strange = std::ranges::find_if(bytes, [](char byte) { return byte != 0 && byte != 1; });
  if (strange != bytes.end())
    damaged(source, "element " + std::to_string(strange - bytes.begin()) +
                        " is neither true nor false; a byte 1 or 0");
}

}  // namespace

NpyArray readArray(const NpySource& source) {
  std::size_t start = 0;
  const NpyHeader header = takeHeader(source, start);
  NpyArray array{header.type, header.shape, {}, source.packedBytes, source.reading};
  if (!elementCount(header.shape)) damaged(source, "the shape in the header is impossibly large");
  if (source.fits) source.fits(header.shape);
  if (header.type[0] == 'O') return array;  // pickled: nobody reads its bytes
  array.bytes = takeElements(source, header, start);
  requireTruths(source, header, array.bytes);
  const auto width = at(elementBytes(header.type));
  if (header.bigEndian && width > 1) swapBytes(array.bytes, header.type[0] == 'U' ? 4 : width);
  if (header.fortran && header.shape.size() > 1 && width > 0)
    array.bytes = rowMajor(array.bytes, header.shape, width);
  return array;
}

}  // namespace halo
