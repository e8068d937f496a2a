#include <zip.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "datasets/arrays/npz.h"
#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {
namespace {

/// Header and elements as numpy.save writes them (version 1.0, padded to 64 bytes).
std::string npyBytes(const Matrix& matrix, bool vector) {
  HALO_CHECK(!vector || matrix.rows() == 1);
  const std::string shape =
      vector ? "(" + std::to_string(matrix.cols()) + ",)"
             : "(" + std::to_string(matrix.rows()) + ", " + std::to_string(matrix.cols()) + ")";
  std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  dictionary.append(63 - (10 + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size() & 255);
  bytes += static_cast<char>(dictionary.size() >> 8);
  bytes += dictionary;
  const std::size_t start = bytes.size();
  bytes.resize(start + at(matrix.size()) * sizeof(float));
  for (Index i = 0; i < matrix.size(); ++i) {
    const float value = static_cast<float>(matrix.data()[i]);
    std::memcpy(bytes.data() + start + at(i) * sizeof(float), &value, sizeof(float));
  }
  return bytes;
}

struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};

[[noreturn]] void failed(const std::string& doing, zip_error_t* error) {
  throw std::runtime_error("writing an .npz: " + doing + ": " + zip_error_strerror(error));
}

/// Adds one stored member; `bytes` must live until the archive is closed.
void addMember(zip_t* archive, const std::string& name, const std::string& bytes) {
  zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  const zip_int64_t index = source ? zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
  if (index < 0) {
    if (source) zip_source_free(source);
    failed(name, zip_get_error(archive));
  }
  // a fixed date: the same arrays give the same bytes
  constexpr zip_uint16_t kFirstDosDay = 1 << 5 | 1;
  const auto member = static_cast<zip_uint64_t>(index);
  if (zip_set_file_compression(archive, member, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, member, 0, kFirstDosDay, 0) != 0)
    failed(name, zip_get_error(archive));
}

std::string contents(zip_source_t* source) {
  zip_stat_t stat;
  if (zip_source_stat(source, &stat) != 0 || zip_source_open(source) != 0)
    failed("reading it back", zip_source_error(source));
  std::string bytes(stat.size, '\0');
  const zip_int64_t length = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (!std::in_range<zip_uint64_t>(length) || static_cast<zip_uint64_t>(length) != stat.size)
    failed("reading it back", zip_source_error(source));
  return bytes;
}

}  // namespace

std::string writeNpz(const std::vector<std::pair<std::string, const Matrix*>>& arrays,
                     const std::vector<std::string>& vectors) {
  zip_error_t error;
  zip_error_init(&error);
  const std::unique_ptr<zip_source_t, FreeSource> target(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!target) failed("starting", &error);
  zip_source_keep(target.get());  // the archive takes one reference, we read the bytes from the other
  zip_t* archive = zip_open_from_source(target.get(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (!archive) {
    zip_source_free(target.get());
    failed("starting", &error);
  }
  std::vector<std::string> members;
  members.reserve(arrays.size());
  try {
    for (const auto& [name, matrix] : arrays) {
      members.push_back(npyBytes(*matrix, std::find(vectors.begin(), vectors.end(), name) != vectors.end()));
      addMember(archive, name + ".npy", members.back());
    }
    if (zip_close(archive) != 0) failed("closing", zip_get_error(archive));
  } catch (...) {
    zip_discard(archive);
    throw;
  }
  return contents(target.get());
}

}  // namespace halo
