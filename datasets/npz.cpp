#include "datasets/npz.h"

#include <zip.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "datasets/scalar_range.h"
#include "engine/base/parallel.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as this machine has them");

[[noreturn]] void damaged(const std::string& file, const std::string& member, const std::string& message) {
  throw DamagedInput({file, 0, 0, member, message});
}

// ---- the .npy header: a Python dictionary of three known keys ----

struct Header {
  std::string type;
  bool bigEndian = false, fortran = false;
  std::vector<Index> shape;
};

/// The text after `'key':` in the dictionary, blanks skipped; empty if the key is not there.
std::string_view valueOf(std::string_view dictionary, const std::string& key) {
  std::size_t at = dictionary.find("'" + key + "'");
  if (at == std::string_view::npos) return {};
  at = dictionary.find(':', at);
  if (at == std::string_view::npos) return {};
  at = dictionary.find_first_not_of(' ', at + 1);
  return at == std::string_view::npos ? std::string_view{} : dictionary.substr(at);
}

std::optional<std::vector<Index>> parseShape(std::string_view text) {
  std::vector<Index> shape;
  if (text.empty() || text.front() != '(') return std::nullopt;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ')') return shape;
    if (text[i] == ' ' || text[i] == ',') continue;
    Index extent = 0;
    std::size_t digits = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, ++digits)
      extent = extent * 10 + (text[i] - '0');
    if (digits == 0 || digits > 18) return std::nullopt;
    shape.push_back(extent);
    --i;
  }
  return std::nullopt;
}

std::optional<Header> parseHeader(std::string_view dictionary) {
  const auto descr = valueOf(dictionary, "descr"), order = valueOf(dictionary, "fortran_order");
  const auto shape = parseShape(valueOf(dictionary, "shape"));
  if (descr.size() < 3 || descr[0] != '\'' || order.empty() || !shape) return std::nullopt;
  const std::size_t end = descr.find('\'', 1);
  if (end == std::string_view::npos || end < 3) return std::nullopt;
  Header header;
  header.type = descr.substr(1, end - 1);
  header.bigEndian = header.type[0] == '>';
  if (std::string_view("<>|=").find(header.type[0]) != std::string_view::npos) header.type.erase(0, 1);
  if (header.type.empty()) return std::nullopt;
  header.fortran = order.starts_with("True");
  header.shape = *shape;
  return header;
}

/// Bytes of one element; 0 for a type whose size is not fixed by its name.
Index elementBytes(const std::string& type) {
  Index count = 0;
  if (type.size() < 2 || type.size() > 10) return 0;
  for (std::size_t i = 1; i < type.size(); ++i) {
    if (type[i] < '0' || type[i] > '9') return 0;
    count = count * 10 + (type[i] - '0');
  }
  return type[0] == 'U' ? 4 * count : count;
}

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
    std::memcpy(result.data() + out, bytes.data() + static_cast<std::size_t>(from) * width, width);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++place[d] < shape[d]) break;
      place[d] = 0;
    }
  }
  return result;
}

/// Splits off the header; `bytes` keeps the elements only.
Header takeHeader(std::string& bytes, const std::string& file, const std::string& member) {
  const auto wrong = [&](const std::string& what) {
    damaged(file, member, what + "; an array as numpy.save writes it");
  };
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY", 6) != 0) wrong("no numpy header");
  const auto byteAt = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const bool wide = byteAt(6) >= 2;
  if (wide && bytes.size() < 12) wrong("the numpy header ends early");
  const std::size_t start = wide ? 12 : 10;
  const std::size_t length =
      wide ? byteAt(8) | byteAt(9) << 8 | byteAt(10) << 16 | byteAt(11) << 24 : byteAt(8) | byteAt(9) << 8;
  if (length > bytes.size() - start) wrong("the numpy header ends early");
  const auto header = parseHeader(std::string_view(bytes).substr(start, length));
  if (!header) wrong("the numpy header cannot be understood");
  bytes.erase(0, start + length);
  return *header;
}

NpyArray parseNpy(std::string bytes, const std::string& file, const std::string& member) {
  const Header header = takeHeader(bytes, file, member);
  NpyArray array{header.type, header.shape, {}};
  array.bytes = std::move(bytes);
  if (header.type[0] == 'O') return array;  // pickled: the size says nothing
  const Index width = elementBytes(header.type);
  if (width == 0 && header.type != "U0" && header.type != "S0")
    damaged(file, member, "elements of type '" + header.type + "' cannot be read; numbers or text can");
  Index expected = width;
  for (const Index extent : header.shape)
    if (__builtin_mul_overflow(expected, extent, &expected))
      damaged(file, member, "the shape in the header is impossibly large");
  if (std::cmp_not_equal(array.bytes.size(), expected))
    damaged(file, member,
            "holds " + std::to_string(array.bytes.size()) + " bytes of elements; its header promises " +
                std::to_string(expected));
  if (header.bigEndian && width > 1)
    swapBytes(array.bytes, header.type[0] == 'U' ? 4 : static_cast<std::size_t>(width));
  if (header.fortran && header.shape.size() > 1 && width > 0)
    array.bytes = rowMajor(array.bytes, header.shape, static_cast<std::size_t>(width));
  return array;
}

// ---- numbers of any type ----

struct Half {
  std::uint16_t bits;
  explicit operator double() const {
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const double magnitude = exponent == 31  ? (mantissa ? std::numeric_limits<double>::quiet_NaN()
                                                         : std::numeric_limits<double>::infinity())
                             : exponent == 0 ? std::ldexp(mantissa, -24)
                                             : std::ldexp(1024 + mantissa, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
};

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls work(TypeTag<T>{}) with the C++ type of a numpy type code; false if it is none of a number.
template <class Work>
bool withType(const std::string& type, Work work) {
  if (type == "f4")
    work(TypeTag<float>{});
  else if (type == "f8")
    work(TypeTag<double>{});
  else if (type == "f2")
    work(TypeTag<Half>{});
  else if (type == "i8")
    work(TypeTag<std::int64_t>{});
  else if (type == "i4")
    work(TypeTag<std::int32_t>{});
  else if (type == "i2")
    work(TypeTag<std::int16_t>{});
  else if (type == "i1")
    work(TypeTag<std::int8_t>{});
  else if (type == "u8")
    work(TypeTag<std::uint64_t>{});
  else if (type == "u4")
    work(TypeTag<std::uint32_t>{});
  else if (type == "u2")
    work(TypeTag<std::uint16_t>{});
  else if (type == "u1" || type == "b1")
    work(TypeTag<std::uint8_t>{});
  else
    return false;
  return true;
}

template <class T>
T element(const std::string& bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

/// Names the first number that cannot be kept as a Scalar.
[[noreturn]] void refuseBeyond(const std::vector<double>& values, Index cols, const std::string& name) {
  const auto first = std::find_if(values.begin(), values.end(), exceedsScalar);
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.9g", *first);
  const Index at = first - values.begin();
  throw DamagedInput({name, 0, 0, "",
                      "row " + std::to_string(at / cols) + ", column " + std::to_string(at % cols) + ": " +
                          digits.data() + kBeyondScalar});
}

[[noreturn]] void notNumbers(const std::string& name, const std::string& type) {
  throw DamagedInput({name, 0, 0, "",
                      type[0] == 'O'
                          ? "is pickled Python objects, which only Python can read; save plain arrays"
                          : "is of type '" + type + "'; an array of numbers"});
}

// ---- zip archives ----

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;

std::string wordsOf(const zip_error_t& error) { return zip_error_strerror(const_cast<zip_error_t*>(&error)); }

/// The unpacked bytes of member number `i`. Grows as bytes arrive: the size in the archive may lie.
std::string unpack(zip_t* archive, zip_uint64_t i, const std::string& file, const std::string& member) {
  const std::unique_ptr<zip_file_t, CloseMember> in(zip_fopen_index(archive, i, 0));
  if (!in) damaged(file, member, std::string("cannot be unpacked: ") + zip_strerror(archive));
  std::string bytes;
  std::size_t used = 0;
  for (std::size_t chunk = std::size_t{1} << 20;; chunk = std::max(chunk, used / 2)) {
    bytes.resize(used + chunk);
    const zip_int64_t got = zip_fread(in.get(), bytes.data() + used, chunk);
    if (got < 0) damaged(file, member, std::string("cannot be unpacked: ") + zip_file_strerror(in.get()));
    used += static_cast<std::size_t>(got);
    if (got == 0) break;
  }
  bytes.resize(used);
  return bytes;
}

std::map<std::string, NpyArray> readArchive(zip_t* archive, const std::string& file) {
  std::map<std::string, NpyArray> arrays;
  const zip_int64_t members = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < members; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* raw = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
    std::string name = raw ? raw : "";
    if (name.empty() || name.back() == '/') continue;
    std::string bytes = unpack(archive, index, file, name);
    NpyArray array = parseNpy(std::move(bytes), file, name);
    if (name.ends_with(".npy")) name.erase(name.size() - 4);
    arrays.insert_or_assign(name, std::move(array));
  }
  return arrays;
}

}  // namespace

Index NpyArray::count() const {
  Index product = 1;
  for (const Index extent : shape) product *= extent;
  return product;
}

std::vector<std::int64_t> NpyArray::integers(const std::string& name) const {
  std::vector<std::int64_t> result;
  const bool number = withType(type, [&]<class T>(TypeTag<T>) {
    result.resize(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < result.size(); ++i) {
      const T value = element<T>(bytes, i);
      if constexpr (std::is_integral_v<T>) {
        if (!std::in_range<std::int64_t>(value))
          throw DamagedInput(
              {name, 0, 0, "", "element " + std::to_string(i) + " is too large for a 64-bit integer"});
        result[i] = static_cast<std::int64_t>(value);
      } else {
        const double real = static_cast<double>(value);
        if (!(std::abs(real) < 0x1p62) || real != std::floor(real))
          throw DamagedInput({name, 0, 0, "", "element " + std::to_string(i) + " is not a whole number"});
        result[i] = static_cast<std::int64_t>(real);
      }
    }
  });
  if (!number) notNumbers(name, type);
  return result;
}

std::vector<double> NpyArray::reals(const std::string& name) const {
  std::vector<double> result;
  const bool number = withType(type, [&]<class T>(TypeTag<T>) {
    result.resize(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<double>(element<T>(bytes, i));
  });
  if (!number) notNumbers(name, type);
  return result;
}

std::pair<Index, Index> NpyArray::extent(const std::string& name) const {
  if (shape.empty() || shape.size() > 2)
    throw DamagedInput(
        {name, 0, 0, "", "has " + std::to_string(shape.size()) + " dimensions; a matrix has two"});
  return {shape[0], shape.size() == 2 ? shape[1] : 1};
}

Matrix NpyArray::matrix(const std::string& name) const {
  const auto [rows, cols] = extent(name);
  Matrix result(rows, cols);
  std::atomic<bool> beyond{false};
  const bool number = withType(type, [&]<class T>(TypeTag<T>) {
    parallelBlocks(result.size(), Index{1} << 20, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const auto value = static_cast<double>(element<T>(bytes, static_cast<std::size_t>(i)));
        if (exceedsScalar(value)) beyond = true;
        result.data()[i] = static_cast<Scalar>(value);
      }
    });
  });
  if (!number) notNumbers(name, type);
  if (beyond) refuseBeyond(reals(name), cols, name);
  return result;
}

NpyArray readNpy(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) damaged(file.string(), "", "cannot be opened");
  std::string bytes(static_cast<std::size_t>(std::max<std::streamoff>(0, in.tellg())), '\0');
  in.seekg(0);
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    damaged(file.string(), "", "cannot be read");
  return parseNpy(std::move(bytes), file.string(), "");
}

std::map<std::string, NpyArray> readNpz(const std::filesystem::path& file) {
  int code = 0;
  const Archive archive(zip_open(file.c_str(), ZIP_RDONLY, &code));
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    damaged(file.string(), "", "is not a readable .npz (zip) archive: " + wordsOf(error));
  }
  return readArchive(archive.get(), file.string());
}

std::map<std::string, NpyArray> readNpzBytes(const std::string& bytes, const std::string& name) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  Archive archive(source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr);
  if (!archive) {
    if (source) zip_source_free(source);
    damaged(name, "", "is not a readable .npz (zip) archive: " + wordsOf(error));
  }
  return readArchive(archive.get(), name);
}

}  // namespace halo
