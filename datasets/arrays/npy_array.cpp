#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "datasets/arrays/npz.h"
#include "datasets/arrays/scalar_range.h"
#include "datasets/input/limits.h"
#include "engine/base/check.h"
#include "engine/base/parallel.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

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
  throw DamagedInput({.file = name,
                      .message = "row " + std::to_string(at / cols) + ", column " +
                                 std::to_string(at % cols) + ": " + digits.data() + kBeyondScalar});
}

[[noreturn]] void notNumbers(const std::string& name, const std::string& type) {
  throw DamagedInput(
      {.file = name,
       .message = type[0] == 'O' ? "is pickled Python objects, which only Python can read; save plain arrays"
                                 : "is of type '" + type + "'; an array of numbers"});
}

/// The elements stay where they are; their numbers are to take `bytesEach` beside them.
void requireConverted(const NpyArray& array, std::size_t bytesEach, const std::string& name) {
  array.requireBeside(static_cast<double>(array.count()) * static_cast<double>(bytesEach), "its numbers",
                      {.file = name});
}

}  // namespace

std::optional<Index> elementCount(const std::vector<Index>& shape) {
  Index product = 1;
  for (const Index extent : shape)
    if (extent < 0 || __builtin_mul_overflow(product, extent, &product)) return std::nullopt;
  return product;
}

Index NpyArray::count() const {
  const auto product = elementCount(shape);
  HALO_CHECK(product.has_value());
  return *product;
}

void NpyArray::requireBeside(double more, const std::string& subject, Problem place) const {
  reading.require(packedBytes, subject + " beside all that was read", std::move(place), more);
}

std::vector<std::int64_t> NpyArray::integers(const std::string& name) const {
  if (type == "b1")
    throw DamagedInput({.file = name, .message = "is of type 'b1', true and false; whole numbers"});
  std::vector<std::int64_t> result;
  requireConverted(*this, sizeof(std::int64_t), name);
  const bool number = withType(type, [&]<class T>(TypeTag<T>) {
    result.resize(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < result.size(); ++i) {
      const T value = element<T>(bytes, i);
      if constexpr (std::is_integral_v<T>) {
        if (!std::in_range<std::int64_t>(value))
          throw DamagedInput(
              {.file = name,
               .message = "element " + std::to_string(i) + " is too large for a 64-bit integer"});
        result[i] = static_cast<std::int64_t>(value);
      } else {
        const double real = static_cast<double>(value);
        if (!(std::abs(real) < 0x1p62) || real != std::floor(real))
          throw DamagedInput(
              {.file = name, .message = "element " + std::to_string(i) + " is not a whole number"});
        result[i] = static_cast<std::int64_t>(real);
      }
    }
  });
  if (!number) notNumbers(name, type);
  return result;
}

std::vector<double> NpyArray::reals(const std::string& name) const {
  std::vector<double> result;
  requireConverted(*this, sizeof(double), name);
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
        {.file = name, .message = "has " + std::to_string(shape.size()) + " dimensions; a matrix has two"});
  return {shape[0], shape.size() == 2 ? shape[1] : 1};
}

Matrix NpyArray::matrix(const std::string& name) const {
  const auto [rows, cols] = extent(name);
  if (!withType(type, [](auto) {})) notNumbers(name, type);
  requireConverted(*this, sizeof(Scalar), name);
  Matrix result(rows, cols);
  std::atomic<bool> beyond{false};
  withType(type, [&]<class T>(TypeTag<T>) {
    parallelBlocks(result.size(), Index{1} << 20, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const auto value = static_cast<double>(element<T>(bytes, static_cast<std::size_t>(i)));
        if (exceedsScalar(value)) beyond = true;
        result.data()[i] = static_cast<Scalar>(value);
      }
    });
  });
  if (beyond) refuseBeyond(reals(name), cols, name);
  return result;
}

}  // namespace halo
