#include "tests/properties/arrays.h"

#include <zip.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace halo::properties {
namespace {

template <class T>
std::string bytesOf(double value) {
  const T stored = static_cast<T>(value);
  return {reinterpret_cast<const char*>(&stored), sizeof stored};
}

/// A number that a half holds exactly: of few digits, or 0.
std::string halfBytes(double value) {
  std::uint16_t bits = std::signbit(value) ? 0x8000 : 0;
  if (value != 0) {
    int exponent = 0;
    const double fraction = std::frexp(std::abs(value), &exponent);
    bits =
        static_cast<std::uint16_t>(bits | (exponent + 14) << 10 | (static_cast<int>(fraction * 2048) & 1023));
  }
  return {reinterpret_cast<const char*>(&bits), sizeof bits};
}

std::string elementBytes(const Array& array, double value) {
  const std::string& type = array.type;
  std::string bytes = type == "f8"   ? bytesOf<double>(value)
                      : type == "f4" ? bytesOf<float>(value)
                      : type == "f2" ? halfBytes(value)
                      : type == "i8" ? bytesOf<std::int64_t>(value)
                      : type == "i4" ? bytesOf<std::int32_t>(value)
                      : type == "i2" ? bytesOf<std::int16_t>(value)
                      : type == "u4" ? bytesOf<std::uint32_t>(value)
                      : type == "u8" ? bytesOf<std::uint64_t>(value)
                                     : bytesOf<std::int8_t>(value);  // i1, u1, b1
  if (array.bigEndian) std::ranges::reverse(bytes);
  return bytes;
}

std::string headerOf(const Array& array) {
  std::string shape;
  for (const Index extent : array.shape) shape += std::to_string(extent) + ", ";
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);
  if (array.shape.size() == 1) shape.pop_back();
  const bool singleByte = array.type[1] == '1';
  std::string text = "{'descr': '" +
                     std::string(singleByte        ? "|"
                                 : array.bigEndian ? ">"
                                                   : "<") +
                     array.type + "', 'fortran_order': " + (array.fortran ? "True" : "False") +
                     ", 'shape': (" + shape + "), }";
  text.append(63 - (10 + text.size()) % 64, ' ');
  return text + "\n";
}

std::string typeOf(const std::vector<double>& values, Random& random) {
  const auto all = [&](auto holds) { return std::ranges::all_of(values, holds); };
  std::vector<std::string> types = {"f4", "f8", "f2"};
  if (all([](double v) { return v == std::floor(v); })) types.insert(types.end(), {"i8", "i4", "i2", "i1"});
  if (all([](double v) { return v == 0 || v == 1; })) types.insert(types.end(), {"b1", "u1"});
  return pick(random, types);
}

}  // namespace

std::string npyBytes(const Array& array) {
  const std::string header = headerOf(array);
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  const std::size_t rows = array.shape.empty() ? 1 : static_cast<std::size_t>(array.shape[0]);
  const std::size_t columns = rows == 0 ? 0 : array.values.size() / rows;
  if (array.fortran && array.shape.size() == 2)
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < rows; ++r) bytes += elementBytes(array, array.values[r * columns + c]);
  else
    for (const double value : array.values) bytes += elementBytes(array, value);
  return bytes;
}

std::string zipBytes(const std::vector<std::pair<std::string, std::string>>& members, bool deflated) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &error);
  for (const auto& [name, bytes] : members) {
    const auto at = zip_file_add(archive, name.c_str(),
                                 zip_source_buffer(archive, bytes.data(), bytes.size(), 0), ZIP_FL_OVERWRITE);
    if (at < 0) continue;  // a name that no archive can have
    const auto index = static_cast<zip_uint64_t>(at);
    zip_set_file_compression(archive, index, deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive, index, 0, 1 << 5 | 1, 0);  // the same members, the same bytes
  }
  zip_close(archive);
  zip_stat_t stat;
  zip_stat_init(&stat);
  zip_source_stat(target, &stat);
  std::string all(stat.size, '\0');
  if (zip_source_open(target) == 0) {
    zip_source_read(target, all.data(), all.size());
    zip_source_close(target);
  }
  zip_source_free(target);
  return all;
}

std::string npzBytes(const std::vector<Array>& arrays, bool deflated) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const Array& array : arrays) members.emplace_back(array.name + ".npy", npyBytes(array));
  return zipBytes(members, deflated);
}

Array matrixArray(std::string name, const Matrix& values, Random& random) {
  Array array{std::move(name), {values.rows(), values.cols()}, {}};
  for (const Scalar value : values.values()) array.values.push_back(static_cast<double>(value));
  array.type = typeOf(array.values, random);
  array.bigEndian = chance(random, 0.3) && array.type[1] != '1';
  array.fortran = chance(random, 0.3);
  return array;
}

Array integerArray(std::string name, const std::vector<Index>& values, Random& random) {
  Array array{std::move(name), {static_cast<Index>(values.size())}, {}};
  for (const Index value : values) array.values.push_back(static_cast<double>(value));
  array.type = pick(random, {"i8", "i4", "u4"});
  array.bigEndian = chance(random, 0.2);
  return array;
}

std::vector<Array> sparseArrays(const std::string& prefix, const Matrix& values, Random& random) {
  std::vector<Index> indptr{0}, indices;
  Array data{prefix + "data", {0}, {}};
  for (Index r = 0; r < values.rows(); ++r) {
    for (Index c = 0; c < values.cols(); ++c) {
      if (values(r, c) == 0 && !chance(random, 0.1)) continue;  // some zeros are stored
      indices.push_back(c);
      data.values.push_back(static_cast<double>(values(r, c)));
    }
    indptr.push_back(static_cast<Index>(indices.size()));
  }
  data.shape = {static_cast<Index>(data.values.size())};
  data.type = typeOf(data.values, random);
  std::vector<Array> arrays = {data, integerArray(prefix + "indices", indices, random),
                               integerArray(prefix + "indptr", indptr, random),
                               integerArray(prefix + "shape", {values.rows(), values.cols()}, random)};
  arrays[1].columns = values.cols();
  return arrays;
}

std::vector<Array> adjacencyArrays(const std::string& prefix, Index vertices, const std::vector<Arc>& arcs,
                                   Random& random) {
  std::vector<Index> indptr{0}, indices;
  for (Index v = 0; v < vertices; ++v) {
    for (const Arc arc : arcs)
      if (arc.source == v) indices.push_back(arc.target);
    indptr.push_back(static_cast<Index>(indices.size()));
  }
  Array data{prefix + "data", {static_cast<Index>(indices.size())}, std::vector<double>(indices.size(), 1)};
  data.type = pick(random, {"f4", "f8", "i8", "b1"});
  std::vector<Array> arrays = {data, integerArray(prefix + "indices", indices, random),
                               integerArray(prefix + "indptr", indptr, random),
                               integerArray(prefix + "shape", {vertices, vertices}, random)};
  arrays[1].columns = vertices;
  return arrays;
}

}  // namespace halo::properties
