#pragma once

#include <zip.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace halo {

/// An array file as numpy.save writes it, from its parts.
inline std::string npyFile(const std::string& descr, const std::string& shape, const std::string& bytes,
                           const std::string& fortran = "False") {
  const std::string dictionary =
      "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size());
  file += '\0';
  return file + dictionary + bytes;
}

template <class T>
std::string bytesOf(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T));
}

inline std::string shapeOf(std::initializer_list<std::size_t> extents) {
  std::string text = "(";
  for (const std::size_t extent : extents) text += std::to_string(extent) + ", ";
  return text + ")";
}

/// One-dimensional arrays.
inline std::string longs(std::initializer_list<std::int64_t> values) {
  return npyFile("<i8", shapeOf({values.size()}), bytesOf<std::int64_t>(values));
}
inline std::string floats(std::initializer_list<float> values) {
  return npyFile("<f4", shapeOf({values.size()}), bytesOf<float>(values));
}
/// Two-dimensional ones.
inline std::string longs(std::size_t rows, std::size_t cols, std::initializer_list<std::int64_t> values) {
  return npyFile("<i8", shapeOf({rows, cols}), bytesOf<std::int64_t>(values));
}
inline std::string floats(std::size_t rows, std::size_t cols, std::initializer_list<float> values) {
  return npyFile("<f4", shapeOf({rows, cols}), bytesOf<float>(values));
}

/// A zip archive of these files; `method` as libzip has it.
inline std::string zipOf(const std::vector<std::pair<std::string, std::string>>& files,
                         int method = ZIP_CM_DEFLATE) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &error);
  for (const auto& [name, bytes] : files) {
    const zip_int64_t at =
        zip_file_add(archive, name.c_str(), zip_source_buffer(archive, bytes.data(), bytes.size(), 0), 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(at), method, 0);
  }
  zip_close(archive);
  zip_stat_t stat;
  zip_source_stat(target, &stat);
  std::string bytes(stat.size, '\0');
  zip_source_open(target);
  zip_source_read(target, bytes.data(), bytes.size());
  zip_source_close(target);
  zip_source_free(target);
  return bytes;
}

/// The archive of arrays that numpy.savez writes.
inline std::string npzOf(std::vector<std::pair<std::string, std::string>> arrays) {
  for (auto& [name, bytes] : arrays) name += ".npy";
  return zipOf(arrays);
}

}  // namespace halo
