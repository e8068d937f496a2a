#include "datasets/arrays/npz.h"

#include "datasets/arrays/npy.h"
#include "datasets/input/archive.h"
#include "datasets/input/unpack.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr const char* kKind = ".npz (zip) archive";

/// What arrays of an archive are read with: bytes of those before, and what the process held before them.
struct Reading {
  double heldBytes = 0;
  MemoryGrowth growth = {};
};

NpyArray readMember(const ZipArchive& archive, const ZipArchive::Member& member, const Reading& reading,
                    const std::string& file, const ShapeCheck& fits = {}) {
  ZipArchive::Stream stream = archive.open(member);
  return readArray({[&](char* to, std::size_t count) { return stream.read(to, count); }, member.bytes,
                    archive.packedBytes(), reading.heldBytes, reading.growth, fits, file, member.name});
}

std::string arrayName(const ZipArchive::Member& member) {
  return member.name.substr(0, member.name.size() - (member.name.ends_with(".npy") ? 4 : 0));
}

std::map<std::string, NpyArray> readArchive(const ZipArchive& archive, const std::string& file,
                                            const ShapeCheck& fits = {}) {
  std::map<std::string, NpyArray> arrays;
  Reading reading;
  for (const ZipArchive::Member& member : archive.members()) {
    NpyArray array = readMember(archive, member, reading, file, fits);
    reading.heldBytes += static_cast<double>(array.bytes.size());
    if (!arrays.emplace(arrayName(member), std::move(array)).second)
      throw DamagedInput(
          {.file = file, .key = member.name, .message = "is in the archive twice; each name once"});
  }
  return arrays;
}

}  // namespace

NpyArray readNpy(const std::filesystem::path& file, const ShapeCheck& fits) {
  PackedFile packed(file);
  return readArray({[&](char* to, std::size_t count) { return packed.read(to, count); },
                    packed.unpackedBytes(),
                    packed.packedBytes(),
                    0,
                    {},
                    fits,
                    file.string(),
                    ""});
}

std::map<std::string, NpyArray> readNpz(const std::filesystem::path& file, const ShapeCheck& fits) {
  return readArchive(ZipArchive(file, kKind), file.string(), fits);
}

NpyArray readNpzArray(const std::filesystem::path& file, const std::string& name) {
  const ZipArchive archive(file, kKind);
  for (const ZipArchive::Member& member : archive.members())
    if (arrayName(member) == name) return readMember(archive, member, {}, file.string());
  throw DamagedInput({.file = file.string(), .key = name, .message = "is missing"});
}

std::map<std::string, NpyArray> readNpzBytes(const std::string& bytes, const std::string& name) {
  return readArchive(ZipArchive(bytes, name, kKind), name);
}

}  // namespace halo
